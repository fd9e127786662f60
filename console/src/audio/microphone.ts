import workletUrl from './recorder-worklet.js?url';

/** An open microphone. */
export interface Microphone {
  readonly sampleRateHz: number;
  close(): void;
}

/**
 * Opens the microphone and passes its samples on. Rejects without permission, and on pages that were loaded over plain
 * HTTP from another machine, where browsers offer no microphone.
 */
export async function openMicrophone(
  onSamples: (samples: Float32Array<ArrayBuffer>) => void,
  { isClean = false }: { readonly isClean?: boolean } = {},
): Promise<Microphone> {
  if (!navigator.mediaDevices) throw new Error('no-microphone');
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: {
      channelCount: 1,
      echoCancellation: !isClean,
      noiseSuppression: !isClean,
      autoGainControl: !isClean,
    },
  });
  const context = new AudioContext();
  await context.audioWorklet.addModule(workletUrl);
  const source = context.createMediaStreamSource(stream);
  const node = new AudioWorkletNode(context, 'mynah-recorder', { numberOfOutputs: 0 });
  node.port.onmessage = ({ data }: MessageEvent<Float32Array<ArrayBuffer>>) => onSamples(data);
  source.connect(node);
  await context.resume();
  return {
    sampleRateHz: context.sampleRate,
    close() {
      for (const track of stream.getTracks()) track.stop();
      node.port.onmessage = null;
      void context.close();
    },
  };
}
