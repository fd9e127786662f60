// Runs in the audio thread: passes the microphone on as 16-bit samples, in pieces of about 0.1 s.
class Recorder extends AudioWorkletProcessor {
  #samples = new Int16Array(Math.round(sampleRate / 10));
  #count = 0;

  process([[channel]]) {
    for (const value of channel ?? []) {
      this.#samples[this.#count++] = Math.max(-1, Math.min(1, value)) * 32_767;
      if (this.#count < this.#samples.length) continue;
      this.port.postMessage(this.#samples.slice());
      this.#count = 0;
    }
    return true;
  }
}
registerProcessor('recorder', Recorder);
