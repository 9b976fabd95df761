import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { describeError } from '../api/http';
import css from './controls.module.css';

/** Joins the class names that apply. */
export function joinClasses(...names: Array<string | false | undefined>): string {
  return names.filter(Boolean).join(' ');
}

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: 'plain' | 'primary' | 'quiet' | 'danger';
  readonly size?: 'small';
  /** Shows that its action is still in progress, and ignores further presses. */
  readonly isBusy?: boolean;
  /**
   * Ignores the second press of a double click: it would be charged or sent again, or confirm unseen. The default for spending,
   * destructive and submitting buttons.
   */
  readonly isDoneOnce?: boolean;
}

export function Button({
  look = 'plain',
  size,
  isBusy = false,
  type = 'button',
  isDoneOnce = look === 'primary' || look === 'danger' || type === 'submit',
  className,
  children,
  onClick,
  ...props
}: ButtonProps) {
  return (
    <button
      type={type}
      {...props}
      onClick={(event) => {
        if (isBusy || (isDoneOnce && event.detail > 1)) event.preventDefault();
        else onClick?.(event);
      }}
      // Not `disabled`: a disabled button would lose the focus.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      className={joinClasses(css.button, css[look], size && css.small, className)}
    >
      {isBusy && <span className={css.spinner} aria-hidden="true" />}
      {children}
    </button>
  );
}

interface ConfirmButtonProps {
  readonly label: string;
  /** Name of the row that the button is about, for screen readers. */
  readonly about?: string;
  readonly size?: 'small';
  /** The label after the first press; the second press confirms. */
  readonly confirmLabel: string;
  readonly isBusy: boolean;
  readonly onConfirm: () => void;
}

/** Starts an irreversible action with a second press, which must not be part of a double click. Leaving the button resets it. */
export function ConfirmButton({
  label,
  about,
  confirmLabel,
  isBusy,
  onConfirm,
  ...size
}: ConfirmButtonProps) {
  const [isSure, setSure] = useState(false);
  const shown = isSure ? confirmLabel : label;
  const press = (clicks: number) => {
    const isConfirmed = isSure && clicks < 2;
    setSure(!isConfirmed);
    if (isConfirmed) onConfirm();
  };
  return (
    <Button
      look="danger"
      {...size}
      isBusy={isBusy}
      onClick={({ detail: clicks }) => press(clicks)}
      onBlur={() => setSure(false)}
      aria-label={about && `${shown} ${about}`}
    >
      {shown}
    </Button>
  );
}

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly children: (props: {
    id: string;
    'aria-describedby'?: string;
    'aria-invalid'?: true;
    className: string;
  }) => ReactNode;
}

/** A label with its control, a hint, and the problem with its value. */
export function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const isDescribed = Boolean(hint ?? problem);
  return (
    <div className={css.field}>
      <label className={css.label} htmlFor={id}>
        {label}
      </label>
      {children({
        id,
        className: css.input ?? '',
        ...(isDescribed ? { 'aria-describedby': `${id}-about` } : {}),
        ...(problem ? { 'aria-invalid': true as const } : {}),
      })}
      {isDescribed && (
        <div
          id={`${id}-about`}
          className={problem ? css.problem : css.hint}
          role={problem ? 'alert' : undefined}
        >
          {problem ?? hint}
        </div>
      )}
    </div>
  );
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'children'> &
  Pick<FieldProps, 'label' | 'hint' | 'problem'>;

export function TextField({ label, hint, problem, ...props }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(given) => <input {...props} {...given} />}
    </Field>
  );
}

type SelectFieldProps = ComponentProps<'select'> & Pick<FieldProps, 'label' | 'hint'>;

export function SelectField({ label, hint, ...props }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(given) => <select {...props} {...given} />}
    </Field>
  );
}

interface OptionsProps {
  readonly of: ReadonlyArray<readonly [value: string | number, text: string]>;
}

/** Choices of a select. */
export function Options({ of }: OptionsProps) {
  return of.map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ));
}

export function CheckField({ label, ...props }: ComponentProps<'input'> & { label: ReactNode }) {
  return (
    <label className={css.check}>
      <input type="checkbox" {...props} />
      <span>{label}</span>
    </label>
  );
}

interface SwitchProps {
  readonly label: string;
  /** Full name of one of several controls with the same label. */
  readonly 'aria-label'?: string;
  readonly isOn: boolean;
  /** Amber for a setting that users should not forget to switch off again. */
  readonly look?: 'amber';
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ label, isOn, look, onChange, ...name }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      {...name}
      aria-checked={isOn}
      data-look={look}
      className={css.switch}
      onClick={() => onChange(!isOn)}
    >
      <span className={css.track} aria-hidden="true">
        <span className={css.knob} />
      </span>
      {label}
    </button>
  );
}

/** Scrolls to a notice as it appears: in a long dialog the button that was pressed may be all that is visible. */
const scrollTo = (notice: HTMLElement | null) => notice?.scrollIntoView({ block: 'nearest' });

export function Notice({
  look,
  children,
  action,
}: {
  look?: 'amber' | 'red';
  children: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div
      className={joinClasses(css.notice, look && css[look])}
      role={look === 'red' ? 'alert' : 'status'}
      ref={look === 'red' ? scrollTo : undefined}
    >
      <div>{children}</div>
      {action}
    </div>
  );
}

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Rewords a message of the server for the page. */
  readonly words?: (text: string) => string;
}

/** Shows why a request was refused, with a retry button when that can help. */
export function ErrorNotice({ error, onRetry, words = (text) => text }: ErrorNoticeProps) {
  if (!error) return null;
  return (
    <Notice
      look="red"
      action={
        onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )
      }
    >
      {words(describeError(error))}
    </Notice>
  );
}

export type BadgeLook = 'good' | 'bad' | 'busy' | 'warn' | 'plain';

export function Badge({ look = 'plain', children }: { look?: BadgeLook; children: ReactNode }) {
  return <span className={joinClasses(css.badge, css[look])}>{children}</span>;
}

/** Shows why something is empty, and the next thing to do. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={css.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Skeletons({ count = 4 }: { count?: number }) {
  return (
    <div className={css.skeletons} role="status">
      <span className="visually-hidden">Loading</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className={css.skeleton} />
      ))}
    </div>
  );
}

export interface QueryLike<Data> {
  readonly data: Data | undefined;
  readonly error: unknown;
  readonly isPending: boolean;
  readonly refetch: () => unknown;
}

/**
 * Shows the state of a query: loading, error, or data.
 * @param wayOut where to go when the page itself could not be loaded
 * @param reason a possible explanation of the error
 */
export function QueryResult<Data>({
  query,
  wayOut,
  reason,
  children,
}: {
  query: QueryLike<Data>;
  wayOut?: ReactNode;
  reason?: ReactNode;
  children: (data: Data) => ReactNode;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error && wayOut)
    return (
      <div role="alert">
        <EmptyState
          title={describeError(query.error)}
          action={
            <div className={css.row}>
              <Button onClick={() => void query.refetch()}>Try again</Button>
              {wayOut}
            </div>
          }
        >
          {reason}
        </EmptyState>
      </div>
    );
  if (query.error) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  if (!wayOut) return <Skeletons />;
  return (
    <div className={css.pageState}>
      <Skeletons />
    </div>
  );
}

export { css as controls };
