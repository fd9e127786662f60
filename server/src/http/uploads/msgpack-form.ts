import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unpackr } from 'msgpackr';
import { ApiError } from '../../errors.ts';
import type { Upload, UploadSpace } from '../../transcription/upload-space.ts';
import { ByteReader } from './byte-reader.ts';
import { readWholeValue } from './msgpack-value.ts';
import { FIELDS_MAX_BYTES, type ReceivedForm, type UploadLimits, watched } from './received-form.ts';

const unpackr = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: 'number' });

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
    return unpack(bytes);
  };
  try {
    for (let left = await readMapSize(reader); left > 0; left--) {
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

async function readMapSize(reader: ByteReader): Promise<number> {
  const type = (await reader.take(1))[0]!;
  if (type >= 0x80 && type <= 0x8f) return type & 0x0f;
  if (type === 0xde) return (await reader.take(2)).readUInt16BE();
  throw malformed('expected a map');
}

/** The length of binary data whose first byte was read; undefined when it is something else. */
async function readBinarySize(reader: ByteReader, type: number): Promise<number | undefined> {
  if (type < 0xc4 || type > 0xc6) return undefined;
  const width = 2 ** (type - 0xc4);
  return (await reader.take(width)).readUIntBE(0, width);
}

function unpack(bytes: Buffer): unknown {
  try {
    return unpackr.unpack(bytes);
  } catch {
    throw malformed('a value cannot be read');
  }
}

function malformed(what: string): ApiError {
  return new ApiError('invalid_body', `Failed to parse the request body as MsgPack: ${what}.`);
}
