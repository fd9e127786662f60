// Recordings for operations that need one: a file of the user, or speech of this server.

import { element } from './dom.js';

const SAMPLE_TEXT =
  'The quick brown fox jumps over the lazy dog. Every morning the ships leave the harbour, and in the evening they ' +
  'return with fish, with salt, and with stories from the other side of the sea. Nobody counts them any more.';

/** A file field. Its file is the chosen one, or a recording that the server speaks. */
export function recordingField(name, readKey) {
  const input = element('input', { type: 'file', name, 'aria-label': name });
  const note = element('small', {});
  const speak = element('button', { type: 'button', class: 'plain' }, 'Use a sample recording');
  let sample;
  speak.addEventListener('click', async () => {
    note.textContent = 'Speaking…';
    const response = await fetch('/v1/tts', {
      method: 'POST',
      headers: { authorization: `Bearer ${readKey()}`, 'content-type': 'application/json', model: 's1' },
      body: JSON.stringify({ text: SAMPLE_TEXT, format: 'wav', seed: 1 }),
    });
    if (!response.ok) {
      note.textContent = `The server refused to speak it (${response.status}). Is the API key set?`;
      return;
    }
    sample = new File([await response.blob()], 'recording.wav', { type: 'audio/wav' });
    note.textContent = 'recording.wav, spoken by this server';
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  return {
    file: () => input.files[0] ?? sample,
    node: element('div', { class: 'file' }, input, speak, note),
  };
}

/** Decodes a recording to 16-bit PCM, mono. */
export async function toPcm(file, sampleRate) {
  const context = new OfflineAudioContext(1, 1, sampleRate);
  const samples = (await context.decodeAudioData(await file.arrayBuffer())).getChannelData(0);
  const pcm = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, index) => {
    pcm.setInt16(index * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true);
  });
  return new Uint8Array(pcm.buffer);
}
