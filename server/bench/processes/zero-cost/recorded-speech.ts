/** Name of the file of 16-bit samples at 24 kHz that a worker without an engine returns as speech. */
export const RECORDED_SPEECH = 'speech.pcm';
/** Environment variable of the folder of this file. */
export const RECORDED_SPEECH_FOLDER = 'MYNAH_BENCH_SPEECH';
