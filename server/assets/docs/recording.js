// Files for operations that need one: a recording (a file of the user, or speech of this server), a picture or a lexicon.

import { element } from './dom.js';

const SAMPLE_TEXT =
  'The quick brown fox jumps over the lazy dog. Every morning the ships leave the harbour, and in the evening they ' +
  'return with fish, with salt, and with stories from the other side of the sea. Nobody counts them any more.';

/** A file field. Its file is the chosen one, or a recording that the server speaks. */
export function recordingField(name, readKey) {
  return fileField(name, 'Use a sample recording', async () => {
    const response = await fetch('/v1/tts', {
      method: 'POST',
      headers: { authorization: `Bearer ${readKey()}`, 'content-type': 'application/json', model: 's1' },
      body: JSON.stringify({ text: SAMPLE_TEXT, format: 'wav', seed: 1 }),
    });
    if (!response.ok)
      throw new Error(`The server refused to speak it (${response.status}). Is the API key set?`);
    return new File([await response.blob()], 'recording.wav', { type: 'audio/wav' });
  });
}

/** A file field. Its file is the chosen one, or a plain square. */
export function pictureField(name) {
  return fileField(name, 'Use a sample picture', async () => {
    const canvas = element('canvas', { width: '64', height: '64' });
    const context = canvas.getContext('2d');
    context.fillStyle = 'teal';
    context.fillRect(0, 0, canvas.width, canvas.height);
    const picture = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    return new File([picture], 'picture.png', { type: 'image/png' });
  });
}

const LEXICON = `<?xml version="1.0" encoding="UTF-8"?>
<lexicon version="1.0" xmlns="http://www.w3.org/2005/01/pronunciation-lexicon" alphabet="ipa" xml:lang="en">
  <lexeme><grapheme>nginx</grapheme><phoneme>ˈɛndʒɪn ˈɛks</phoneme></lexeme>
</lexicon>
`;

/** A file field. Its file is the chosen one, or a pronunciation lexicon of one word. */
export function lexiconField(name) {
  return fileField(name, 'Use a sample lexicon', async () => {
    return new File([LEXICON], 'lexicon.pls', { type: 'application/pls+xml' });
  });
}

/** `makeSample` returns the file of the button, or throws a reason for the user. */
function fileField(name, label, makeSample) {
  const input = element('input', { type: 'file', name, 'aria-label': name });
  const note = element('small', {});
  const button = element('button', { type: 'button', class: 'plain' }, label);
  let sample;
  button.addEventListener('click', async () => {
    note.textContent = 'Making it…';
    try {
      sample = await makeSample();
      note.textContent = `${sample.name}, made as a sample`;
      input.dispatchEvent(new Event('input', { bubbles: true }));
    } catch (error) {
      note.textContent = error.message;
    }
  });
  return {
    file: () => input.files[0] ?? sample,
    node: element('div', { class: 'file' }, input, button, note),
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
