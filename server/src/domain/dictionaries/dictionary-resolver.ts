import { createDictionaryMatcher, type DictionaryItem } from '../../text/dictionary-matcher.ts';
import type { DictionaryMatcher } from '../../text/normalise/fixed-spans.ts';
import type { Dictionaries } from './dictionaries.ts';
import { assertValidItems } from './validate-items.ts';

/** A dictionary of a speech request: a published version, or inline items. */
export type DictionaryReference =
  | { readonly kind: 'version'; readonly id: string; readonly version: string }
  | { readonly kind: 'inline'; readonly items: readonly DictionaryItem[] };

/** Size of the LRU cache of matchers. Published versions are immutable, so entries never expire. */
const CACHE_MAX = 16;

type VersionSource = Pick<Dictionaries, 'hasVersion' | 'versionItems'>;

/** Combines the dictionaries of a request into one matcher. */
export class DictionaryResolver {
  readonly #dictionaries: VersionSource;
  readonly #cache = new Map<string, DictionaryMatcher>();

  constructor(dictionaries: VersionSource) {
    this.#dictionaries = dictionaries;
  }

  /**
   * The matcher of the dictionaries; earlier ones take precedence. Undefined without dictionaries. Versions that the
   * account does not have are ignored. Throws `invalid_phonemes` for invalid inline items.
   */
  async resolve(
    accountId: string,
    references: readonly DictionaryReference[],
  ): Promise<DictionaryMatcher | undefined> {
    const lists = references.flatMap((reference) => (reference.kind === 'inline' ? [reference.items] : []));
    if (lists.length > 0) {
      for (const [index, items] of lists.entries())
        assertValidItems(items, `pronunciation_dictionary[${index}].items`);
      return createDictionaryMatcher(lists.flat());
    }
    const versionIds: string[] = [];
    for (const reference of references) {
      if (reference.kind !== 'version') continue;
      if (await this.#dictionaries.hasVersion(accountId, reference.id, reference.version))
        versionIds.push(reference.version);
    }
    return versionIds.length === 0 ? undefined : this.#matcherFor(versionIds);
  }

  async #matcherFor(ids: readonly string[]): Promise<DictionaryMatcher> {
    const key = ids.join(' ');
    const matcher = this.#cache.get(key) ?? createDictionaryMatcher(await this.#itemsOf(ids));
    this.#cache.delete(key);
    this.#cache.set(key, matcher);
    if (this.#cache.size > CACHE_MAX) this.#cache.delete(this.#cache.keys().next().value!);
    return matcher;
  }

  async #itemsOf(ids: readonly string[]): Promise<DictionaryItem[]> {
    return (await Promise.all(ids.map((id) => this.#dictionaries.versionItems(id)))).flat();
  }
}
