// The guards that keep credits, leases and organisations right and the edge closed, each with what takes it away and the tests
// that must then object. What is taken away stands in its declaration; when it no longer does, mutants.spec.ts says so.
import { GATE_MUTANTS } from './mutants/gate.mjs';
import { LEASES_MUTANTS } from './mutants/leases.mjs';
import { MONEY_MUTANTS } from './mutants/money.mjs';
import { TENANCY_MUTANTS } from './mutants/tenancy.mjs';

export const MUTANTS = [...MONEY_MUTANTS, ...LEASES_MUTANTS, ...TENANCY_MUTANTS, ...GATE_MUTANTS];
