/** The folder of a voice in the file store. */
export function folderOf(id: string): string {
  return `voices/${id}`;
}

export function coverFile(id: string): string {
  return `${folderOf(id)}/cover`;
}

/** Where the recording or spoken sample of that number lies. */
export function sampleFile(id: string, index: number): string {
  return `${folderOf(id)}/sample-${index}`;
}
