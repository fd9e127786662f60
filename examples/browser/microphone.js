// The microphone as a stream of 16-bit mono samples.

/** Opens the microphone. Browsers allow that on HTTPS pages and on localhost. `audio` ends after `close()`. */
export async function openMicrophone() {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true },
  });
  const context = new AudioContext();
  await context.audioWorklet.addModule(new URL('recorder-worklet.js', import.meta.url));
  const recorder = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 0 });
  const { readable, writable } = new TransformStream(undefined, { highWaterMark: 100 });
  const writer = writable.getWriter();
  let isMuted = false;
  recorder.port.onmessage = ({ data }) => {
    // Silence keeps the time of the session running.
    const samples = isMuted ? new Int16Array(data.length) : data;
    // A writer without space would grow without a bound: then the server is too slow, and samples are dropped.
    if (writer.desiredSize > 0) writer.write(new Uint8Array(samples.buffer)).catch(() => {});
  };
  context.createMediaStreamSource(stream).connect(recorder);
  return {
    sampleRateHz: context.sampleRate,
    audio: chunksOf(readable),
    mute(value) {
      isMuted = value;
    },
    close() {
      for (const track of stream.getTracks()) track.stop();
      writer.close().catch(() => {});
      void context.close();
    },
  };
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(readable) {
  const reader = readable.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
