// Ids from responses, for the path fields of other operations: creating a voice fills in `/model/{id}`.

const fields = [];

/** Registers the field of a path parameter. `collection` is the path before it. */
export function addIdField(collection, input) {
  fields.push({ collection, input });
}

/** Fills in fields from a response: the id of a new resource always, the first id of a list where a field is empty. */
export function learnIds({ path, method }, json) {
  if (json === null || typeof json !== 'object') return;
  const isNew = method === 'post';
  const list = Object.values(json).find(Array.isArray);
  const id = idOf(json) ?? (isNew ? undefined : idOf(list?.[0] ?? {}));
  if (id === undefined) return;
  // ElevenLabs' `POST …/voices/add` creates in `…/voices`, `…/add-from-rules` in the collection before it.
  const collection = path.replace(/\/add(-from-\w+)?$/, '');
  fill(collection, id, isNew);
  if (json.version_id !== undefined) fill(`${collection}/{dictionary_id}`, json.version_id, isNew);
}

function fill(collection, id, isNew) {
  for (const { collection: own, input } of fields) {
    if (own !== collection || (!isNew && input.value !== '')) continue;
    input.value = id;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }
}

function idOf(value) {
  return value._id ?? value.id ?? value.voice_id;
}
