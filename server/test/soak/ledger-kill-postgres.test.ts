import { testKills } from '../support/kill-soak.ts';

testKills('PostgreSQL');
