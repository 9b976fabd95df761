// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '@quarry/postgres';
import type { BigNum, Flag, Num, Text, Texts, Time, Typed } from '@quarry/postgres';

type MonitorsPauseReason =
  'requested' | 'budget' | 'credits' | 'failures' | 'key_revoked' | 'workspace_archived';

interface StatementTypes {
  'erase-from-monitors.deleteMonitors': Typed<[Texts, Texts]>;
  'erase-from-monitors.monitorsAbout.all': Typed<[Texts, Texts], { id: string; texts: unknown }>;
  'erase-from-monitors.monitorsAbout.any': Typed<[Texts, Texts], { id: string; texts: unknown }>;
  'monitor-dates.activeRun': Typed<[Texts, Text], { '?column?': Num }>;
  'monitor-dates.begun': Typed<[Texts, Text, Time, Text, Text, Text, Num]>;
  'monitor-dates.claim': Typed<
    [Texts, Text, Time],
    {
      cron: string;
      time_zone: string;
      workspace_id: string;
      conversation_id: string;
      prompt: string;
      plans: unknown;
      is_silent: Flag;
      budget: Text;
      now: Date | null;
    }
  >;
  'monitor-dates.due': Typed<[Time], { org_id: string; mode: 'live' | 'test'; id: string; key_id: Text }>;
  'monitor-dates.insert': Typed<[Texts, Text, Time, Text, Flag], { due_at: Date }>;
  'monitor-dates.lock': Typed<[Texts, Text], StatementTypes['monitor-dates.claim']['row']>;
  'monitor-dates.pause': Typed<[Texts, Text, Text, Time]>;
  'monitor-dates.putOff': Typed<[Texts, Text, Time, Num]>;
  'monitor-dates.setNext': Typed<[Texts, Text, Time]>;
  'monitor-items.add': Typed<
    [Texts, Text, Text, Texts, Texts, Texts, Texts, ReadonlyArray<boolean | null> | null, Num]
  >;
  'monitor-items.compare': Typed<[Texts, Text, Texts, Text], { identity: string; has_changed: Flag }>;
  'monitor-items.open': Typed<
    [Texts, Text, Text],
    { identity_key: string; watch: Texts; is_silent: boolean }
  >;
  'monitor-items.see': Typed<[Texts, Text, Texts], { identity: string; has_changed: Flag }>;
  'monitor-retention.deleteMonitorRuns': Typed<[Num, BigNum], { '?column?': Num }>;
  'monitor-retention.deleteMonitors': Typed<[BigNum], { '?column?': Num }>;
  'monitor.change': Typed<[Texts, Text, Text, Text, Text, Time, BigNum, BigNum, Flag, Flag]>;
  'monitor.holdPlan': Typed<[Texts, Text], { '?column?': Num }>;
  'monitor.insert': Typed<
    [
      Texts,
      Text,
      Text,
      Text,
      Text,
      Text,
      Text,
      Text,
      Text,
      Text,
      Text,
      BigNum,
      BigNum,
      Text,
      Time,
      BigNum,
      Texts,
    ],
    { id: string }
  >;
  'monitor.list': Typed<
    [Texts],
    {
      id: string;
      name: string;
      workspace_id: string;
      status: 'active' | 'paused';
      pause_reason: MonitorsPauseReason | null;
      prompt: string;
      plans: unknown;
      cron: string;
      time_zone: string;
      first_run: 'deliver' | 'silent';
      run_credits_max: Text;
      month_credits_max: Text;
      watch: Texts;
      created_at: Text;
      last_run: unknown;
    }
  >;
  'monitor.listItems': Typed<
    [Texts, Text, Time, Time, Text, BigNum],
    {
      identity: string;
      first_seen: Text;
      updated_at: Text;
      run_id: string;
      table_id: string;
      row_id: string;
      found_in: Text;
      found_as: Text;
      position: Text;
    }
  >;
  'monitor.listRuns': Typed<[Texts, Text, Time, BigNum], { json: Text; at: Text }>;
  'monitor.lock': Typed<[Texts, Text], { cron: string; time_zone: string; workspace_id: string }>;
  'monitor.pause': Typed<[Texts, Text], { id: string }>;
  'monitor.read': Typed<[Texts, Text], StatementTypes['monitor.list']['row']>;
  'monitor.readRun': Typed<[Texts, Text, Time], { json: Text }>;
  'monitor.remove': Typed<[Texts, Text], { id: string }>;
  'monitor.removeItems': Typed<[Texts, Text]>;
  'monitor.removeRuns': Typed<[Texts, Text]>;
  'monitor.resume': Typed<[Texts, Text, Time, Text], { id: string }>;
  'monitor.workingRuns': Typed<[Texts, Text], { id: string }>;
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
