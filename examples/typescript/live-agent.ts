// Talks with whoever speaks: hears a sentence, thinks, and answers while it still thinks. Sound comes in and goes out
// as 16-bit mono samples, so that the tools of the system record and play:
//
//   arecord -q -t raw -f S16_LE -r 16000 | node live-agent.ts | aplay -q -t raw -f S16_LE -r 24000
import { once } from 'node:events';
import { Mynah } from 'mynah';

const mynah = new Mynah();

/** Put your language model here: what it says goes out word by word, as it comes. */
async function* think(said: string): AsyncGenerator<string> {
  for (const word of `You said: ${said} I will think about that.`.split(/(?<= )/)) yield word;
}

for await (const heard of mynah.speechToText.live({ sample_rate: 16_000, partials: false }, process.stdin)) {
  if (heard.event !== 'segment') continue;
  console.error(`> ${heard.text}`);
  const answer = mynah.textToSpeech.convertRealtime(
    { format: 'pcm', sample_rate: 24_000 },
    think(heard.text),
  );
  for await (const sound of answer) {
    if (!process.stdout.write(sound)) await once(process.stdout, 'drain');
  }
}
