/** Voice ids that ElevenLabs' clients and examples contain, mapped to built-in voices of the same gender and accent. */
export const WELL_KNOWN_VOICES: Readonly<Record<string, string>> = {
  // American women: Rachel, Sarah, Laura, Aria, Jessica, Matilda, Bella, Domi, Elli.
  '21m00Tcm4TlvDq8ikWAM': 'af_heart',
  EXAVITQu4vr4xnSDxMaL: 'af_sarah',
  FGY2WhTYpPnrIDTdsKH5: 'af_nova',
  '9BWtsMINqrJLrRacOk9x': 'af_aoede',
  cgSgspJ2msm6clMCkdW9: 'af_jessica',
  XrExE9yKIg1WjnnlVkGX: 'af_kore',
  hpp4J3VqNfWAUOO0d1Us: 'af_bella',
  AZnzlk1XvdvUeBnXmlld: 'af_sky',
  MF3mGyEYCl7XYWbV9V6O: 'af_nicole',
  // River, American and neutral.
  SAz9YHcvj6GT2YYXdXww: 'af_river',
  // American men: Adam, Antoni, Josh, Arnold, Sam, Drew, Clyde, Paul, Roger, Liam, Will, Eric, Chris, Brian, Bill, Callum.
  pNInz6obpgDQGcFmaJgB: 'am_adam',
  ErXwobaYiN019PkySvjV: 'am_michael',
  TxGEqnHWrfWFTfGW9XjX: 'am_onyx',
  VR6AewLTigWG4xSOukaG: 'am_fenrir',
  yoZ06aMxZJJ28mfd3POQ: 'am_puck',
  '29vD33N1CtxCmqQRPOHJ': 'am_michael',
  '2EiwWnXFnvU5JabPnv8n': 'am_onyx',
  '5Q0t7uMcjvnagumLfvZi': 'am_eric',
  CwhRBWXzGAHq8TQ4Fs17: 'am_echo',
  TX3LPaxmHKxFdv7VOQHJ: 'am_liam',
  bIHbv24MWmeRgasZH58o: 'am_puck',
  cjVigY5qzO86Huf0OWal: 'am_eric',
  iP95p4xoKVk53GoZ742B: 'am_michael',
  nPczCjzI2devNBz1zQrb: 'am_fenrir',
  pqHfZKP75CvOlQylNhV4: 'am_onyx',
  N2lVS1w4EtoT3dr4eOWO: 'am_echo',
  // British women: Lily, Alice, Charlotte, Dorothy.
  pFZP5JQG7iQjIQuC4Bku: 'bf_lily',
  Xb7hH8MSUJpSbSDYk0k2: 'bf_alice',
  XB0fDUnXU5powFXDhCwa: 'bf_emma',
  ThT5KcBeYPX3keUQqHPh: 'bf_isabella',
  // British men: George, Daniel, Dave; Charlie (Australian) and Fin (Irish), since there is no nearer accent.
  JBFqnCBsd6RMkjVDRZzb: 'bm_george',
  onwK4e9ZLuTAKqWW03F9: 'bm_daniel',
  CYw3kZ02Hs0563khs1Fj: 'bm_lewis',
  IKne3meq5aSn9XLyUdCD: 'bm_lewis',
  D38z5RcWu1voky8WS1ja: 'bm_fable',
};
