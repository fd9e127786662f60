import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Dictionaries } from '../../../../domain/dictionaries/dictionaries.ts';
import type { StoredDictionary } from '../../../../domain/dictionaries/dictionary-store.ts';
import {
  assertValidItems,
  ITEMS_MAX,
  KEY_LENGTH_MAX,
} from '../../../../domain/dictionaries/validate-items.ts';
import { runInSlices } from '../../../../domain/speech/time-slice.ts';
import type { DictionaryItem } from '../../../../text/dictionary-matcher.ts';
import { uploadPace } from '../../../bodies/read-body.ts';
import type { ApiDeps } from '../../../dependencies.ts';
import { createIdempotently, type Exchange } from '../../../metering/idempotent-request.ts';
import { PageQuery, toStorePage, toWirePage } from '../../../schemas/cursor-page.ts';
import { file, single, text } from '../../../schemas/form-fields.ts';
import { CreateDictionarySchema, UpdateDictionarySchema } from '../../../schemas/speech/dictionary.ts';
import { addUploadForms } from '../../../uploads/upload-forms.ts';
import { latestRuleCount, toCreated, toMetadata, toRulesResponse } from './dictionary-bodies.ts';
import { fromItem, RulesSchema, toItem } from './dictionary-rules.ts';
import { parseLexiconInSteps, writeLexicon } from './pronunciation-lexicon.ts';

const PATH = '/v1/pronunciation-dictionaries';
const LEXICON_MAX_BYTES = 4 * 1024 * 1024;
const config = { keyHeader: 'xi-api-key', scope: 'tts' } as const;
type Deps = Pick<ApiDeps, 'dictionaries' | 'accounting' | 'config' | 'transcription'>;

/** `workspace_access` is accepted and ignored: a dictionary belongs to its account. */
const AddFromRulesBody = CreateDictionarySchema.extend({ rules: RulesSchema });
const AddFromFileForm = z.object({
  name: single(CreateDictionarySchema.shape.name),
  description: single(text(1024)).nullish(),
  file: single(file).optional(),
});
const UpdateBody = z.object({ name: UpdateDictionarySchema.shape.name, archived: z.boolean().nullish() });
const SetRulesBody = z.object({ rules: RulesSchema });
const RemoveRulesBody = z.object({ rule_strings: z.array(z.string().max(KEY_LENGTH_MAX)).max(ITEMS_MAX) });
const DictionaryParams = z.object({ dictionary_id: z.string() });
const VersionParams = z.object({ dictionary_id: z.string(), version_id: z.string() });

/** ElevenLabs' pronunciation dictionaries, kept as ours: every change of the rules publishes a version. */
export const elevenLabsDictionaryRoutes: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  const { dictionaries } = deps;
  await app.register(addFromFileRoute, deps);

  app.post(
    `${PATH}/add-from-rules`,
    { config, schema: { hide: true, body: AddFromRulesBody } },
    async (request, reply) => {
      const { name, description, rules } = request.body;
      await createDictionary(deps, { request, reply }, { name, description, items: rules.map(toItem) });
    },
  );

  app.get(PATH, { config, schema: { hide: true, querystring: PageQuery } }, async ({ query, caller }) => {
    const found = await dictionaries.list(caller.accountId, toStorePage(query));
    const page = toWirePage(found.dictionaries, query.page_size, (dictionary) => dictionary);
    const counts = await Promise.all(page.items.map((item) => latestRuleCount(dictionaries, item)));
    return {
      pronunciation_dictionaries: page.items.map((item, index) => toMetadata(item, counts[index]!)),
      next_cursor: page.next_cursor,
      has_more: page.has_more,
    };
  });

  app.get(
    `${PATH}/:dictionary_id`,
    { config, schema: { hide: true, params: DictionaryParams } },
    async ({ params, caller }) => {
      const dictionary = await dictionaries.get(caller.accountId, params.dictionary_id);
      const items = await latestItems(dictionaries, dictionary);
      return { ...toMetadata(dictionary, items.length), rules: items.map(fromItem) };
    },
  );

  app.patch(
    `${PATH}/:dictionary_id`,
    { config, schema: { hide: true, params: DictionaryParams, body: UpdateBody } },
    async ({ params: { dictionary_id: id }, body, caller: { accountId } }) => {
      const change = body.name ? { name: body.name } : {};
      const dictionary = await dictionaries.rename(accountId, id, change);
      const metadata = toMetadata(dictionary, await latestRuleCount(dictionaries, dictionary));
      if (!body.archived) return metadata;
      await dictionaries.archive(accountId, id);
      return { ...metadata, archived_time_unix: Math.floor(Date.now() / 1000) };
    },
  );

  /** Publishes the rules that `change` makes of the present ones. */
  const changeRules = async (
    { params, caller }: { params: { dictionary_id: string }; caller: { accountId: string } },
    change: (present: readonly DictionaryItem[]) => DictionaryItem[],
  ) => {
    const dictionary = await dictionaries.get(caller.accountId, params.dictionary_id);
    const version = await dictionaries.publish(caller.accountId, dictionary.id, {
      items: change(await latestItems(dictionaries, dictionary)),
      expectedLatestId: dictionary.latestVersionId,
    });
    return toRulesResponse(version);
  };

  app.post(
    `${PATH}/:dictionary_id/set-rules`,
    { config, schema: { hide: true, params: DictionaryParams, body: SetRulesBody } },
    async (request) => changeRules(request, () => request.body.rules.map(toItem)),
  );

  app.post(
    `${PATH}/:dictionary_id/add-rules`,
    { config, schema: { hide: true, params: DictionaryParams, body: SetRulesBody } },
    async (request) => {
      const added = request.body.rules.map(toItem);
      // The error names a rule of this request, not its place in the dictionary.
      assertValidItems(added);
      const replaced = new Set(added.map(({ key }) => key));
      return changeRules(request, (present) => [
        ...present.filter(({ key }) => !replaced.has(key)),
        ...added,
      ]);
    },
  );

  app.post(
    `${PATH}/:dictionary_id/remove-rules`,
    { config, schema: { hide: true, params: DictionaryParams, body: RemoveRulesBody } },
    async (request) => {
      const removed = new Set(request.body.rule_strings);
      return changeRules(request, (present) => present.filter(({ key }) => !removed.has(key)));
    },
  );

  app.get(
    `${PATH}/:dictionary_id/:version_id/download`,
    { config, schema: { hide: true, params: VersionParams } },
    async ({ params, caller }, reply) => {
      const { dictionary_id: id, version_id: versionId } = params;
      const { items } = await dictionaries.getVersion(caller.accountId, id, versionId);
      return reply.type('application/pls+xml; charset=utf-8').send(writeLexicon(items));
    },
  );
};

/** A separate plugin, because the bodies of all its routes are forms. */
const addFromFileRoute: FastifyPluginAsyncZod<Deps> = async (app, deps) => {
  addUploadForms(app, {
    encodings: ['multipart'],
    recordings: [],
    files: ['file'],
    acceptsBase64: false,
    maxBytes: LEXICON_MAX_BYTES,
    pace: uploadPace(deps.config),
    uploads: deps.transcription.uploads,
  });
  app.post(
    `${PATH}/add-from-file`,
    { config, schema: { hide: true, body: AddFromFileForm } },
    async (request, reply) => {
      const { name, description, file: lexicon } = request.body;
      const xml = lexicon && Buffer.from(lexicon.bytes).toString('utf8');
      const { accountId } = request.caller;
      const items = xml === undefined ? [] : await runInSlices(accountId, parseLexiconInSteps(xml));
      await createDictionary(deps, { request, reply }, { name, description, items });
    },
  );
};

/** Creates a dictionary with its first version. */
async function createDictionary(
  { dictionaries, accounting }: Deps,
  exchange: Exchange,
  given: { name: string; description: string | null | undefined; items: readonly DictionaryItem[] },
): Promise<void> {
  const { name, items } = given;
  assertValidItems(items);
  const { accountId } = exchange.request.caller;
  const content = [name, given.description, items];
  await createIdempotently(accounting.idempotency, exchange, { status: 200, content }, async (attempt) => {
    const id = attempt?.resourceId;
    const description = given.description ?? '';
    const dictionary = await dictionaries.create(accountId, { id, name, description });
    const version = await dictionaries.publish(accountId, dictionary.id, {
      id,
      items,
      expectedLatestId: undefined,
    });
    return toCreated(dictionary, version);
  });
}

/** The rules of the latest version; none before the first one. */
async function latestItems(
  dictionaries: Pick<Dictionaries, 'getVersion'>,
  { accountId, id, latestVersionId }: StoredDictionary,
): Promise<readonly DictionaryItem[]> {
  if (latestVersionId === undefined) return [];
  return (await dictionaries.getVersion(accountId, id, latestVersionId)).items;
}
