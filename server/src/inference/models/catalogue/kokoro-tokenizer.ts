/**
 * Kokoro's token table: runs of symbols with consecutive ids. Ids in the gaps have no symbol.
 */
const SYMBOL_RUNS: readonly (readonly [firstId: number, symbols: string])[] = [
  [0, '$;:,.!?'],
  [9, '—…"()“” \u0303ʣʥʦʨᵝꭧAI'],
  [31, 'O'],
  [33, 'Q'],
  [35, 'ST'],
  [39, 'W'],
  [41, 'Yᵊabcdef'],
  [50, 'hijklmnopqrstuvwxyzɑɐɒæ'],
  [75, 'βɔɕç'],
  [80, 'ɖðʤə'],
  [85, 'ɚɛɜ'],
  [90, 'ɟ'],
  [92, 'ɡ'],
  [99, 'ɥ'],
  [101, 'ɨɪʝ'],
  [110, 'ɯɰŋɳɲɴø'],
  [118, 'ɸθœ'],
  [123, 'ɹ'],
  [125, 'ɾɻ'],
  [128, 'ʁɽʂʃʈʧ'],
  [135, 'ʊʋ'],
  [138, 'ʌɣɤ'],
  [142, 'χʎ'],
  [147, 'ʒʔ'],
  [156, 'ˈˌː'],
  [162, 'ʰ'],
  [164, 'ʲ'],
  [169, '↓'],
  [171, '→↗↘'],
  [177, 'ᵻ'],
];

const SYMBOL_IDS = SYMBOL_RUNS.flatMap(([firstId, symbols]) =>
  [...symbols].map((symbol, index) => [symbol, firstId + index] as const),
);

/**
 * The `tokenizer.json` of the model, byte-identical to the published one (the catalogue pins its hash). It is built
 * in because it is small and not every source of the weights has it.
 */
export function kokoroTokenizerJson(): string {
  const padding = { SpecialToken: { id: '$', type_id: 0 } };
  const tokenizer = {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: 'Replace',
      pattern: { Regex: `[^${SYMBOL_IDS.map(([symbol]) => symbol).join('')}]` },
      content: '',
    },
    pre_tokenizer: { type: 'Split', pattern: { Regex: '' }, behavior: 'Isolated', invert: false },
    post_processor: {
      type: 'TemplateProcessing',
      single: [padding, { Sequence: { id: 'A', type_id: 0 } }, padding],
      special_tokens: { $: { id: '$', ids: [0], tokens: ['$'] } },
    },
    decoder: null,
    config: {
      model_max_length: 512,
      pad_token: '$',
      tokenizer_class: 'PreTrainedTokenizer',
      unk_token: '$',
    },
    model: { vocab: Object.fromEntries(SYMBOL_IDS) },
  };
  return `${JSON.stringify(tokenizer, null, 4)}\n`;
}
