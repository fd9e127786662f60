// Makes a voice from a recording of somebody who agreed to it, and speaks with it:
//
//   node clone-voice.ts recording.wav "What to say"        writes cloned.mp3
import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Mynah } from 'mynah';

const [recording, text] = process.argv.slice(2);
if (recording === undefined || text === undefined)
  throw new Error('Usage: node clone-voice.ts RECORDING TEXT');

const mynah = new Mynah();
const { _id: id } = await mynah.voices.create({ title: 'My voice', voices: [await openAsBlob(recording)] });

let voice = await mynah.voices.get(id);
while (voice.state === 'created' || voice.state === 'training') {
  await sleep(500);
  voice = await mynah.voices.get(id);
}
if (voice.state === 'failed') throw new Error('No voice could be made from this recording.');

const audio = await mynah.textToSpeech.convert({ text, reference_id: id });
await audio.toFile('cloned.mp3');
console.log(`${voice.title} (${id}) said it in cloned.mp3.`);
