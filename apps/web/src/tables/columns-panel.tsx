import type { Table } from '../api/resources';
import { Button, CheckField, controls } from '../ui/controls';
import { PopoverClose } from '../ui/popover';
import { orderedColumns, type Layout } from './columns';
import css from './tables.module.css';

interface ColumnsPanelProps {
  readonly table: Table;
  readonly layout: Layout;
  readonly onChange: (change: Partial<Layout>) => void;
  /** Undefined for roles that may not change columns. */
  readonly onManage: ((key: string) => void) | undefined;
}

const toggled = (keys: readonly string[], key: string) =>
  keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key];

export function ColumnsPanel({ table, layout, onChange, onManage }: ColumnsPanelProps) {
  const columns = orderedColumns(table, layout);
  const move = (index: number, by: number) => {
    const keys = columns.map(({ key }) => key);
    const [key] = keys.splice(index, 1);
    if (key !== undefined) keys.splice(index + by, 0, key);
    onChange({ order: keys });
  };
  return (
    <>
      <ul className={css.columnList}>
        {columns.map(({ key, name }, index) => (
          <li key={key}>
            <CheckField
              label={name}
              checked={!layout.hidden.includes(key)}
              onChange={() => onChange({ hidden: toggled(layout.hidden, key) })}
            />
            <div className={controls.row}>
              <Button
                size="small"
                look="quiet"
                aria-label={`Move ${name} up`}
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                ↑
              </Button>
              <Button
                size="small"
                look="quiet"
                aria-label={`Move ${name} down`}
                disabled={index === columns.length - 1}
                onClick={() => move(index, 1)}
              >
                ↓
              </Button>
              <Button
                size="small"
                look={layout.frozen.includes(key) ? 'primary' : 'quiet'}
                aria-pressed={layout.frozen.includes(key)}
                aria-label={`Freeze ${name}`}
                onClick={() => onChange({ frozen: toggled(layout.frozen, key) })}
              >
                Freeze
              </Button>
              {onManage && (
                <PopoverClose>
                  <Button
                    size="small"
                    look="quiet"
                    aria-haspopup="dialog"
                    aria-label={`Change ${name}`}
                    onClick={() => onManage(key)}
                  >
                    ⋯
                  </Button>
                </PopoverClose>
              )}
            </div>
          </li>
        ))}
      </ul>
      <Button look="quiet" onClick={() => onChange({ order: [], hidden: [], frozen: [], widths: {} })}>
        Reset columns
      </Button>
    </>
  );
}
