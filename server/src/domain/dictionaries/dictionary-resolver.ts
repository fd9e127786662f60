import { createDictionaryMatcher, type DictionaryItem } from '../../text/dictionary-matcher.ts';
import type { DictionaryMatcher } from '../../text/normalise/fixed-spans.ts';
import type { Dictionaries } from './dictionaries.ts';
import { assertValidItems } from './validate-items.ts';

/** A dictionary as a request to speak names it: a published version, or a list of its own. */
export type DictionaryReference =
  | { readonly id: string; readonly version: string }
  | { readonly items: readonly DictionaryItem[] };

/** Sets of published versions that stay ready: they never change, and a client uses the same again and again. */
const READY_MAX = 16;

type Source = Pick<Dictionaries, 'hasVersion' | 'versionItems'>;

/** Makes one matcher of all dictionaries that a request names. */
export class DictionaryResolver {
  readonly #dictionaries: Source;
  readonly #ready = new Map<string, DictionaryMatcher>();

  constructor(dictionaries: Source) {
    this.#dictionaries = dictionaries;
  }

  /**
   * What the dictionaries say, the earlier before the later; undefined when they say nothing. Versions that
   * the account does not have are left out. Throws an `ApiError` for items that cannot be read.
   */
  async resolve(accountId: string, choices: readonly DictionaryReference[]): Promise<DictionaryMatcher | undefined> {
    const lists = choices.flatMap((choice) => ('items' in choice ? [choice.items] : []));
    if (lists.length > 0) {
      for (const items of lists) assertValidItems(items);
      return createDictionaryMatcher(lists.flat());
    }
    const versionIds: string[] = [];
    for (const choice of choices) {
      if ('items' in choice) continue;
      if (await this.#dictionaries.hasVersion(accountId, choice.id, choice.version))
        versionIds.push(choice.version);
    }
    return versionIds.length === 0 ? undefined : this.#ofVersions(versionIds);
  }

  async #ofVersions(ids: readonly string[]): Promise<DictionaryMatcher> {
    const key = ids.join(' ');
    const ready = this.#ready.get(key) ?? createDictionaryMatcher(await this.#itemsOf(ids));
    this.#ready.delete(key);
    this.#ready.set(key, ready);
    if (this.#ready.size > READY_MAX) this.#ready.delete(this.#ready.keys().next().value!);
    return ready;
  }

  async #itemsOf(ids: readonly string[]): Promise<DictionaryItem[]> {
    return (await Promise.all(ids.map((id) => this.#dictionaries.versionItems(id)))).flat();
  }
}
