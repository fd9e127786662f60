import type { Dictionaries } from '../../../../domain/dictionaries/dictionaries.ts';
import type { StoredDictionary, StoredVersion } from '../../../../domain/dictionaries/dictionary-store.ts';

/** A dictionary in the format of ElevenLabs' lists. Without a version, its id is empty. */
export function toMetadata(dictionary: StoredDictionary, ruleCount: number) {
  return {
    ...toOwner(dictionary),
    latest_version_id: dictionary.latestVersionId ?? '',
    latest_version_rules_num: ruleCount,
    archived_time_unix: null,
  };
}

/** The response to the creation of a dictionary with its first version. */
export function toCreated(dictionary: StoredDictionary, version: StoredVersion) {
  return { ...toOwner(dictionary), version_id: version.id, version_rules_num: version.itemCount };
}

function toOwner({ id, name, description, accountId, createdAtMs }: StoredDictionary) {
  return {
    id,
    name,
    description,
    created_by: accountId,
    creation_time_unix: Math.floor(createdAtMs / 1000),
    permission_on_resource: 'admin',
  };
}

/** The response to a change of the rules. */
export function toRulesResponse({ dictionaryId, id, itemCount }: StoredVersion) {
  return { id: dictionaryId, version_id: id, version_rules_num: itemCount };
}

/** Number of rules in the latest version, which is the newest one. */
export async function latestRuleCount(
  dictionaries: Pick<Dictionaries, 'listVersions'>,
  { accountId, id, latestVersionId }: StoredDictionary,
): Promise<number> {
  if (latestVersionId === undefined) return 0;
  const { versions } = await dictionaries.listVersions(accountId, id, { limit: 1 });
  return versions[0]?.itemCount ?? 0;
}
