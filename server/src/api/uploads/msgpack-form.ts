import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Upload, UploadSpace } from '../../domain/transcription/upload-space.ts';
import { ByteReader } from './byte-reader.ts';
import { malformed, readBinarySize, readMapSize, readWholeValue, unpackValue } from './msgpack-value.ts';
import { FIELDS_MAX_BYTES, type ReceivedForm, type UploadLimits, watched } from './received-form.ts';

/**
 * Reads a MessagePack map as it arrives: the bytes of `fileField` go to disk, everything else into `fields`.
 * A decoder of whole bodies would hold a recording of two hours in memory.
 */
export async function receiveMsgpackForm(
  source: Readable,
  space: UploadSpace,
  { fileField, ...limits }: UploadLimits & { readonly fileField: string },
): Promise<ReceivedForm> {
  const reader = new ByteReader(watched(source, limits));
  const fields: Record<string, unknown> = {};
  let upload: Upload | undefined;
  let room = FIELDS_MAX_BYTES;
  const readSmall = async (first?: number): Promise<unknown> => {
    const bytes = await readWholeValue(reader, room, first);
    room -= bytes.length;
    return unpackValue(bytes);
  };
  try {
    const size = await readMapSize(reader, (await reader.take(1))[0]!);
    if (size === undefined) throw malformed('expected a map');
    for (let left = size; left > 0; left--) {
      const name = String(await readSmall());
      const type = (await reader.take(1))[0]!;
      const fileSize = name === fileField ? await readBinarySize(reader, type) : undefined;
      if (fileSize === undefined) {
        fields[name] = await readSmall(type);
      } else {
        await upload?.remove();
        upload = await space.create();
        await pipeline(reader.stream(fileSize), createWriteStream(upload.path, { mode: 0o600 }));
      }
    }
    await reader.drain();
    return { fields, upload };
  } catch (error) {
    await upload?.remove();
    throw error;
  } finally {
    await reader.close();
  }
}
