/** Keys of queries that several pages share. */
export const ACCOUNTS_KEY = ['accounts'] as const;
