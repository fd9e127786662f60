import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';

/** Subjects that a user may publish and subscribe. */
export interface NatsPermissions {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** An operator and an account, whose users have credentials files. */
export interface NatsAccount {
  /** The part of the configuration of a NATS server that trusts the operator. */
  readonly configuration: string;
  /** Writes the credentials file of a user, and returns its path. */
  createUser(folder: string, name: string, permissions: NatsPermissions): Promise<string>;
}

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** Creates an operator and an account, as the program `nsc` does. */
export function createNatsAccount(): NatsAccount {
  const operator = nkeys.createOperator();
  const account = nkeys.createAccount();
  const operatorJwt = signClaims(operator, operator, 'operator', { type: 'operator' });
  const unlimited = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 };
  const accountJwt = signClaims(operator, account, 'account', { type: 'account', limits: unlimited });
  return {
    configuration: `
operator: ${operatorJwt}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${accountJwt} }
`,
    async createUser(folder, name, { publish, subscribe }) {
      const user = nkeys.createUser();
      const claims = {
        type: 'user',
        pub: { allow: publish },
        sub: { allow: subscribe },
        ...{ subs: -1, data: -1, payload: -1 },
      };
      const jwt = signClaims(account, user, name, claims);
      const seed = new TextDecoder().decode(user.getSeed());
      const file = join(folder, `${name}.creds`);
      const block = (title: string, content: string) =>
        `-----BEGIN ${title}-----\n${content}\n------END ${title}------\n`;
      await writeFile(file, `${block('NATS USER JWT', jwt)}\n${block('USER NKEY SEED', seed)}`);
      return file;
    },
  };
}

/** A JSON Web Token of NATS: the claims about `subject`, signed by `issuer`. */
function signClaims(
  issuer: KeyPair,
  subject: KeyPair,
  name: string,
  claims: Readonly<Record<string, unknown>>,
): string {
  const body = {
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name,
    nats: { version: 2, ...claims },
  };
  const jti = createHash('sha256').update(JSON.stringify(body)).digest('hex').toUpperCase();
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ ...body, jti })}`;
  const signature = issuer.sign(new TextEncoder().encode(content));
  return `${content}.${Buffer.from(signature).toString('base64url')}`;
}
