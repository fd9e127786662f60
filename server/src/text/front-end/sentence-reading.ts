/** How plain English sentences of the server's own are read: for trials of voices, not for texts of clients. */
export const SENTENCE_READING = {
  language: 'en-US',
  normalize: true,
  chunkLength: 300,
  minChunkLength: 50,
  cueStyle: 'both',
} as const;
