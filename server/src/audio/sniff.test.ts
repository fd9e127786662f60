import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sniffAudio } from './sniff.ts';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const oggPage = (packet: string) =>
  Buffer.concat([ascii('OggS'), Buffer.alloc(22), Buffer.of(1, packet.length), ascii(packet)]);

test('containers and codecs are detected from the first bytes', () => {
  const cases: readonly (readonly [Buffer, string | undefined])[] = [
    [ascii('RIFF\0\0\0\0WAVEfmt '), 'wav'],
    [ascii('RF64\xff\xff\xff\xffWAVEds64'), 'wav'],
    [ascii('RIFF\0\0\0\0AVI LIST'), undefined],
    [ascii('FORM\0\0\0\0AIFFCOMM'), 'aiff'],
    [ascii('FORM\0\0\0\0AIFCFVER'), 'aiff'],
    [ascii('fLaC\0\0\0\x22'), 'flac'],
    [oggPage('OpusHead\x01'), 'ogg/opus'],
    [oggPage('\x01vorbis'), 'ogg/vorbis'],
    [oggPage('\x7fFLAC\x01'), 'ogg'],
    [ascii('\0\0\0\x20ftypM4A '), 'mp4'],
    [ascii('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm'), 'webm'],
    [ascii('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska'), 'webm'],
    [ascii('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84else'), undefined],
    [ascii('caff\0\x01'), 'caf'],
    [ascii('#!AMR\n'), 'amr'],
    [ascii('\x30\x26\xb2\x75\x8e\x66\xcf\x11'), 'asf'],
    [ascii('.snd\0\0\0\x18'), 'au'],
    [ascii('ID3\x04\0\0\0\0\0\0'), 'mp3'],
    [Buffer.of(0xff, 0xfb, 0x90, 0xc4), 'mp3'],
    [Buffer.of(0xff, 0xf3, 0x64, 0xc4), 'mp3'],
    [Buffer.of(0xff, 0xfb, 0xf0, 0xc4), undefined],
    [Buffer.of(0xff, 0xfb, 0x9c, 0xc4), undefined],
    [Buffer.of(0xff, 0xf1, 0x50, 0x80), 'aac'],
    [Buffer.of(0xff, 0xfb), undefined],
    [ascii('{"text":"hello"}'), undefined],
    [Buffer.alloc(0), undefined],
  ];
  for (const [bytes, expected] of cases) assert.equal(sniffAudio(bytes), expected, bytes.toString('latin1'));
});

test('arbitrary bytes do not throw', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void sniffAudio(bytes)));
});
