import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Finding {
  readonly kind:
    | 'status'
    | 'hang'
    | 'death'
    | 'rejection'
    | 'restart'
    | 'health'
    | 'memory'
    | 'socket'
    | 'schemathesis';
  /** Equal for findings with the same cause, as far as it is known. */
  readonly signature: string;
  readonly message: string;
  /** Group and number of the case; with the seed they reproduce it. */
  readonly place?: string;
  /** A command that reproduces the finding. */
  readonly reproduction?: string;
}

/** Collects findings; equal signatures are counted once. */
export class Findings {
  readonly #folder: string;
  readonly #bySignature = new Map<string, Finding & { count: number }>();

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Whether the signature is new. */
  add(finding: Finding): boolean {
    const known = this.#bySignature.get(finding.signature);
    if (known !== undefined) {
      known.count++;
      return false;
    }
    this.#bySignature.set(finding.signature, { ...finding, count: 1 });
    console.log(`\n✖ ${finding.kind}: ${finding.message}`);
    if (finding.place) console.log(`  case: ${finding.place}`);
    if (finding.reproduction) console.log(`  ${finding.reproduction}`);
    return true;
  }

  has(signature: string): boolean {
    return this.#bySignature.has(signature);
  }

  all(): readonly (Finding & { readonly count: number })[] {
    return [...this.#bySignature.values()];
  }

  /** Writes a file beside the report and returns its path. */
  store(name: string, bytes: Uint8Array | string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, bytes);
    return path;
  }
}
