import { importNode } from '../net/import-node.ts';

/** Writes audio to a file as it arrives (not in browsers). A failure leaves no file. */
export async function save(audio: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  const { open, rename, rm } = await importNode<typeof import('node:fs/promises')>('node:fs/promises');
  const part = `${path}.part`;
  const file = await open(part, 'w');
  try {
    for await (const chunk of audio) await file.write(chunk);
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
