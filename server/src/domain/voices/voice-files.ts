/** The folder of a voice in the file store. */
export function folderOf(id: string): string {
  return `voices/${id}`;
}

export function coverFile(id: string): string {
  return `${folderOf(id)}/cover`;
}

/** Name of a recording, or of the spoken sample, in the file store. */
export function sampleFile(id: string, index: number): string {
  return `${folderOf(id)}/sample-${index}`;
}
