/** Paths on a grid of 16, drawn as lines. */
const PATHS = {
  runs: 'M3 4.500h10M3 8h7M3 11.500h4.500M12 10l2 1.750-2 1.750z',
  go: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.250 10.250 13.500 13.500',
  monitors: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM8 5v3l2 1.500',
  tables: 'M2.500 3.500h11v9h-11zM2.500 6.500h11M6.500 3.500v9',
  sequences: 'M2.500 4h11v8h-11zM2.500 4.500 8 8.750l5.500-4.250',
  inbox: 'M2.500 9 4.500 3.500h7L13.500 9v3.500h-11zM2.500 9H6l1 1.500h2L10 9h3.500',
  approvals: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM5.500 8l1.750 1.750L10.500 6.500',
  batches: 'M8 2.500 13.500 5 8 7.500 2.500 5zM2.500 8 8 10.500 13.500 8M2.500 11 8 13.500 13.500 11',
  services: 'M3 3h4v4H3zM9 3h4v4H9zM3 9h4v4H3zM11 9v4M9 11h4',
  exclusions: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM4.200 4.200l7.600 7.600',
  credits: 'M2.500 4.500h11v7h-11zM2.500 7h11M5 9.750h2',
  settings: 'M3 5h6M12 5h1M3 11h1M7 11h6M10.500 3.500v3M5.500 9.500v3',
  menu: 'M2.500 4.500h11M2.500 8h11M2.500 11.500h11',
  theme: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
  plus: 'M8 3v10M3 8h10',
  external: 'M6 3.500H3.500v9h9V10M9 3.500h3.500V7M12.500 3.500 7.500 8.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.25"
      aria-hidden="true"
    >
      <path d={PATHS[name]} strokeLinejoin="round" strokeLinecap="round" />
    </svg>
  );
}

export function Logo() {
  return (
    <svg width="24" height="24" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path
        d="M7 22.5 12 9.500h8l5 13z"
        fill="none"
        stroke="var(--on-accent)"
        strokeWidth="2.200"
        strokeLinejoin="round"
      />
      <path d="M9.800 16h12.400M16 9.500v6.500" stroke="var(--on-accent)" strokeWidth="2.200" />
    </svg>
  );
}
