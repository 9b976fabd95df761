// The guards that protect credits, leases and organisations and the edge, each with the change that removes it and the tests
// that must then fail. mutants.spec.ts reports a guard whose declaration no longer contains its text.
import { GATE_MUTANTS } from './mutants/gate.mjs';
import { LEASES_MUTANTS } from './mutants/leases.mjs';
import { MONEY_MUTANTS } from './mutants/money.mjs';
import { TENANCY_MUTANTS } from './mutants/tenancy.mjs';

export const MUTANTS = [...MONEY_MUTANTS, ...LEASES_MUTANTS, ...TENANCY_MUTANTS, ...GATE_MUTANTS];
