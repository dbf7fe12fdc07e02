-- The attempts to back up, with their results: see src/system/backup/records.ts. One that is under way has a lease.
alter table backups
  add column destination text,
  add column result text not null default 'written'
    constraint backups_result check (result in ('started', 'written', 'unproven', 'good', 'failed')),
  add column message text,
  add column finished_at timestamptz,
  add column lease_until timestamptz;
