// Schemas as tables of fields.

import { element, prose } from './dom.js';

/** One line for a type: `string or null`, `list of ModelEntity`, `mp3 | wav`. */
export function typeText(schema = {}) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.enum) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(typeText).join(' or ');
  if (schema.type === 'array') return `list of ${typeText(schema.items)}`;
  if (schema.format === 'binary') return 'file';
  return [schema.type ?? 'any'].flat().join(' or ');
}

function typeCell(schema) {
  const name = schema.$ref?.split('/').pop() ?? schema.items?.$ref?.split('/').pop();
  const text = typeText(schema) + rangeText(schema);
  return name ? element('a', { href: `#schema-${name}` }, text) : text;
}

function rangeText(schema = {}) {
  const { minimum, maximum } = (schema.anyOf ?? [schema]).find((option) => option.type !== 'null') ?? {};
  const isUnlimited = maximum === undefined || Math.abs(maximum) >= Number.MAX_SAFE_INTEGER;
  return minimum === undefined || isUnlimited ? '' : `, ${minimum} to ${maximum}`;
}

/** A table of fields: `{ name, schema, isRequired, description }`. Undefined without fields. */
export function fieldTable(fields) {
  if (fields.length === 0) return undefined;
  const rows = fields.map(({ name, schema, isRequired, description }) => {
    const text = description ?? schema.description;
    const preset = schema.default === undefined ? '' : `Default \`${JSON.stringify(schema.default)}\`.`;
    return element(
      'tr',
      {},
      element(
        'td',
        {},
        element('code', {}, name),
        isRequired ? element('div', { class: 'required' }, 'required') : '',
      ),
      element('td', {}, typeCell(schema)),
      element('td', {}, ...prose([text, preset].filter(Boolean).join(' '))),
    );
  });
  const head = ['Name', 'Type', 'Meaning'].map((title) => element('th', {}, title));
  return element(
    'table',
    { class: 'fields' },
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows),
  );
}

/** The fields of an object schema; `schemas` are those that a `$ref` may name. */
export function schemaFields(schema, schemas) {
  const resolved = schema?.$ref ? schemas?.[schema.$ref.split('/').pop()] : (schema ?? {});
  const { properties = {}, required = [], anyOf = [] } = resolved;
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
  }));
  return [...own, ...anyOf.flatMap((option) => schemaFields(option, schemas))];
}

/** An object with a value for each required field. */
export function exampleOf(schema, schemas) {
  const required = schemaFields(schema, schemas).filter(({ isRequired }) => isRequired);
  return Object.fromEntries(required.map(({ name, schema: field }) => [name, exampleValue(field, schemas)]));
}

function exampleValue(schema, schemas) {
  if (schema.$ref) return exampleOf(schema, schemas);
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'array') return [exampleValue(schema.items ?? {}, schemas)];
  if (schema.type === 'boolean') return false;
  if (['integer', 'number'].includes(schema.type)) return schema.minimum ?? 1;
  return 'text';
}
