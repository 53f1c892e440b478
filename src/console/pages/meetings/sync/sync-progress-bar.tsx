import classes from './sync-progress-bar.module.css';

/** Indeterminate progress of a sync: the provider does not report a total. */
export const SyncProgressBar = () => (
  <div role="progressbar" aria-label="Sync in progress" className={classes.track}>
    <div className={classes.indicator} />
  </div>
);
