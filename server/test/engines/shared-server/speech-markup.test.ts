import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useRealServer } from '../../support/servers/shared-real-server.ts';

const server = useRealServer();

async function sound(body: Record<string, unknown>): Promise<Buffer> {
  const response = await server.speak({ format: 'pcm', sample_rate: 24_000, seed: 1, ...body });
  assert.equal(response.status, 200, await response.clone().text());
  return Buffer.from(await response.arrayBuffer());
}

async function refusal(body: Record<string, unknown>): Promise<{ code: string | null; message: string }> {
  const response = await server.speak(body);
  assert.equal(response.status, 400);
  const { message } = (await response.json()) as { message: string };
  return { code: response.headers.get('x-fish-error-code'), message };
}

test('a phoneme span sounds like the word it spells, and another one does not', async () => {
  const written = await sound({ text: 'I like water.' });
  const same = await sound({ text: 'I like <|phoneme_start|>W AO1 T ER0<|phoneme_end|>.' });
  const other = await sound({ text: 'I like <|phoneme_start|>W IH1 N T ER0<|phoneme_end|>.' });
  assert.ok(written.equals(same));
  assert.ok(!written.equals(other));
});

test('invalid phonemes are refused before any audio', async () => {
  const text = `${'A long text. '.repeat(500)}<|phoneme_start|>NX<|phoneme_end|>`;
  const { code, message } = await refusal({ text });
  assert.equal(code, 'invalid_phonemes');
  assert.match(message, /"NX" at character 6517/);
  assert.equal((await refusal({ text: 'so <|phoneme_start|>EH1' })).code, 'invalid_phonemes');
});

test('a dictionary makes a word sound as its phonemes do', async () => {
  const items = [{ key: 'nginx', value: 'EH1 N JH AH0 N' }];
  const dictionary = { text: 'The NGINX, 5 of them.', pronunciation_dictionary: [{ items }] };
  const spelled = { text: 'The <|phoneme_start|>EH1 N JH AH0 N<|phoneme_end|>, 5 of them.' };
  assert.ok((await sound(dictionary)).equals(await sound(spelled)));
  assert.ok(!(await sound({ text: dictionary.text })).equals(await sound(dictionary)));
});

const seconds = (audio: Buffer) => audio.length / 2 / 24_000;

test('SSML sounds like the text it holds, and its mark-up changes the sound', async () => {
  const plain = await sound({ text: 'The water is cold today.' });
  const inSsml = (inner: string) => sound({ text: `<speak>${inner}</speak>` });
  assert.ok(plain.equals(await inSsml('The water is cold today.')));
  assert.ok(
    plain.equals(
      await inSsml('The <phoneme alphabet="x-arpabet" ph="W AO1 T ER0">X</phoneme> is cold today.'),
    ),
  );
  assert.ok(plain.equals(await inSsml('The <sub alias="water">H2O</sub> is cold today.')));
  const paused = seconds(await inSsml('The water <break time="2s"/> is cold today.'));
  assert.ok(Math.abs(paused - seconds(plain) - 2) < 0.5, `${paused} after ${seconds(plain)}`);
  const slow = seconds(await inSsml('<prosody rate="50%">The water is cold today.</prosody>'));
  assert.ok(slow > seconds(plain) * 1.5, `${slow} after ${seconds(plain)}`);
});

test('SSML changes voices and languages on its way', async () => {
  const text =
    '<speak>Good morning. <voice name="am_adam">Good morning.</voice> <lang xml:lang="fr">Bonjour, madame.</lang></speak>';
  const response = await server.speak({ text, format: 'wav' });
  assert.equal(response.status, 200, await response.clone().text());
  assert.equal(response.headers.get('x-mynah-voice'), 'af_heart,%20am_adam');
  assert.ok((await response.arrayBuffer()).byteLength > 44_100 * 2 * 2);
});

const REFUSED_SSML: readonly [text: string, code: string, message: RegExp][] = [
  [
    '<speak>Hello <audio src="a.wav"/></speak>',
    'invalid_ssml',
    /<audio> is not supported \(at character 13\)/,
  ],
  ['<speak>Hello', 'invalid_ssml', /<speak> is not closed/],
  ['<speak><break time="1s"/></speak>', 'nothing_to_speak', /nothing to speak/],
  ['<speak><voice name="nobody">Hi</voice></speak>', 'voice_not_found', /./],
  ['<speak xml:lang="tlh">Hi</speak>', 'language_not_supported', /tlh/],
];
for (const [text, code, message] of REFUSED_SSML) {
  test(`${text} is refused before any audio`, async () => {
    const refused = await refusal({ text });
    assert.equal(refused.code, code);
    assert.match(refused.message, message);
  });
}

test('the marks of an SSML text come with the times of its words', async () => {
  const text = '<speak><mark name="a"/>One <mark name="b"/>two.<mark name="c"/></speak>';
  const response = await fetch(`${server.url}/v1/tts/stream/with-timestamp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text, format: 'pcm' }),
  });
  const alignments = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5)).alignment] : []));
  const { segments, marks } = alignments.filter(Boolean).at(-1);
  assert.deepEqual(
    segments.map((segment: { text: string }) => segment.text),
    ['One', 'two'],
  );
  assert.deepEqual(
    marks.map((mark: { name: string; char_start: number }) => [
      mark.name,
      text.slice(mark.char_start, mark.char_start + 8),
    ]),
    [
      ['a', '<mark na'],
      ['b', '<mark na'],
      ['c', '<mark na'],
    ],
  );
  assert.ok(marks[0].time <= segments[0].start + 0.15 && Math.abs(marks[1].time - segments[1].start) < 0.02);
  assert.equal(marks[2].time, segments[1].end);
});
