import type { z } from 'zod';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A default that depends on the machine, and its description for the reference. */
interface MachineDefault {
  readonly from: (env: Environment) => string;
  readonly description: string;
}

/** One row of the settings table. */
export interface Setting {
  /** Name of the environment variable and of the key in the config file. The option is derived from it. */
  readonly env: string;
  /** Earlier names. They are still accepted, with a warning. */
  readonly deprecatedNames?: readonly string[];
  readonly schema: z.ZodType;
  readonly description: string;
  readonly machineDefault?: MachineDefault;
}
