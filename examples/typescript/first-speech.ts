import { Mynah } from 'mynah';

const mynah = new Mynah();
const audio = await mynah.textToSpeech.convert({ text: 'Hello! This is my first speech.' });
await audio.toFile('first-speech.mp3');
