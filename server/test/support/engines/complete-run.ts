/**
 * `.ci/run` sets MYNAH_TEST_COMPLETE, and tests with real models synthesize every combination. `npm test` synthesizes
 * those that cover each voice and each text.
 */
export const IS_COMPLETE_RUN = process.env.MYNAH_TEST_COMPLETE === '1';
