import type { Column, Row } from '../api/resources';
import { Badge, controls, type BadgeLook } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import css from './dialogs.module.css';

export const FIT: Readonly<Record<Row['fit']['status'], readonly [BadgeLook, string]>> = {
  qualified: ['good', 'Fits'],
  disqualified: ['bad', 'Does not fit'],
  unknown: ['plain', 'Unknown'],
};

/** Explains why a row fits or does not, criterion by criterion. */
export function FitDialog({
  row,
  columns,
  onClose,
}: {
  row: Row;
  columns: readonly Column[];
  onClose: () => void;
}) {
  const [look, text] = FIT[row.fit.status];
  return (
    <Dialog title="Fit" place="side" onClose={onClose}>
      <div className={controls.row}>
        <Badge look={look}>{text}</Badge>
        {row.fit.score !== null && (
          <span className={controls.muted}>{Math.round(row.fit.score * 100)} % of the criteria</span>
        )}
      </div>
      {row.fit.reason && <p>{row.fit.reason}</p>}
      {row.fit.criteria.length > 0 ? (
        <ul className={css.criteria}>
          {row.fit.criteria.map(({ column_key: key, verdict, reason }) => {
            const column = columns.find((each) => each.key === key);
            const criterion =
              column && 'criterion' in column.qualification ? column.qualification.criterion : undefined;
            const [verdictLook, verdictText] = FIT[verdict];
            return (
              <li key={key}>
                <div className={controls.spread}>
                  <strong>{criterion ?? column?.name ?? key}</strong>
                  <Badge look={verdictLook}>{verdictText}</Badge>
                </div>
                <p className={controls.muted}>{reason}</p>
              </li>
            );
          })}
        </ul>
      ) : (
        <p className={controls.muted}>
          This table has no criteria of its own; rows were chosen by the filters of the run.
        </p>
      )}
    </Dialog>
  );
}
