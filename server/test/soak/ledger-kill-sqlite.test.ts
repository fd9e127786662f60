import { testKills } from '../support/billing/kill-soak.ts';

testKills('SQLite');
