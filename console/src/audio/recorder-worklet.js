// Sends the samples of the microphone to the page, in blocks of about 40 ms.
class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.block = new Float32Array(Math.round(sampleRate * 0.04));
    this.filled = 0;
  }

  process([input]) {
    const samples = input?.[0];
    if (samples === undefined) return true;
    let at = 0;
    while (at < samples.length) {
      const count = Math.min(samples.length - at, this.block.length - this.filled);
      this.block.set(samples.subarray(at, at + count), this.filled);
      this.filled += count;
      at += count;
      if (this.filled === this.block.length) {
        this.port.postMessage(this.block);
        this.block = new Float32Array(this.block.length);
        this.filled = 0;
      }
    }
    return true;
  }
}

registerProcessor('mynah-recorder', Recorder);
