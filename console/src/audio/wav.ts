/** A WAV file with 16-bit mono samples. */
export function encodeWav(samples: Float32Array, sampleRateHz: number): Blob {
  const bytes = new DataView(new ArrayBuffer(44 + samples.length * 2));
  const text = (at: number, value: string) => {
    for (let index = 0; index < value.length; index++) bytes.setUint8(at + index, value.charCodeAt(index));
  };
  text(0, 'RIFF');
  bytes.setUint32(4, 36 + samples.length * 2, true);
  text(8, 'WAVEfmt ');
  bytes.setUint32(16, 16, true);
  bytes.setUint16(20, 1, true);
  bytes.setUint16(22, 1, true);
  bytes.setUint32(24, sampleRateHz, true);
  bytes.setUint32(28, sampleRateHz * 2, true);
  bytes.setUint16(32, 2, true);
  bytes.setUint16(34, 16, true);
  text(36, 'data');
  bytes.setUint32(40, samples.length * 2, true);
  toPcm16(samples).forEach((value, index) => {
    bytes.setInt16(44 + index * 2, value, true);
  });
  return new Blob([bytes.buffer], { type: 'audio/wav' });
}

export function toPcm16(samples: Float32Array): Int16Array<ArrayBuffer> {
  return Int16Array.from(samples, (value) => Math.max(-1, Math.min(1, value)) * 32_767);
}

/** Saves a file through the browser's download. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
