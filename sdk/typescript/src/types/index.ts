// Types of requests and responses, with the names of the API.
export type * from './accounts.ts';
export type * from './audiobooks.ts';
export type * from './requests.ts';
export type * from './server.ts';
export type * from './speech.ts';
export type * from './transcription.ts';
export type * from './voices.ts';
