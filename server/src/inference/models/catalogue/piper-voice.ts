import type { HubFile, Model } from './model.ts';

const ID = /^piper:(?<voice>[A-Za-z0-9][A-Za-z0-9_.-]*)$/;
const PUBLISHED_VOICE = /^(?<language>[a-z]{2,3})_(?<region>[A-Z]{2})-(?<speaker>\w+)-(?<quality>\w+)$/;

/**
 * The entry of a Piper voice, `piper:<voice name>`; undefined for an id of another form. Voices with the naming scheme
 * of the published ones (`de_DE-thorsten-medium`) can be downloaded from the hub, others only imported. Their hashes
 * are recorded at the first download.
 */
export function findPiperVoice(id: string): Model | undefined {
  const voice = ID.exec(id)?.groups?.voice;
  if (voice === undefined || voice.includes('..')) return undefined;
  const { language, region, speaker, quality } = PUBLISHED_VOICE.exec(voice)?.groups ?? {};
  const hub = (name: string): { hub?: HubFile } =>
    language === undefined
      ? {}
      : {
          hub: {
            repository: 'rhasspy/piper-voices',
            path: `${language}/${language}_${region}/${speaker}/${quality}/${name}`,
          },
        };
  // The small file first: if the download is killed, little is transferred twice.
  const files = [`${voice}.onnx.json`, `${voice}.onnx`].map((name) => ({ name, ...hub(name) }));
  return {
    id,
    title: `Piper voice ${voice}`,
    task: 'tts',
    languages: language === undefined ? [] : [`${language}-${region}`],
    licence: 'see the voice’s model card',
    credit: 'Piper voices, Rhasspy contributors',
    isDefault: false,
    files,
  };
}

/** The ids of the Piper voices with both files in a list of file names. */
export function piperVoicesAmong(fileNames: readonly string[]): string[] {
  const names = new Set(fileNames);
  return fileNames
    .filter((name) => name.endsWith('.onnx') && names.has(`${name}.json`))
    .map((name) => `piper:${name.slice(0, -'.onnx'.length)}`)
    .filter((id) => findPiperVoice(id) !== undefined);
}
