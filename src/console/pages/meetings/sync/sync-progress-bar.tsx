import classes from './sync-progress-bar.module.css';

/** Says that a sync goes on. The provider tells no total, so there is no share of it that would be true. */
export const SyncBar = () => (
  <div role="progressbar" aria-label="Sync in progress" className={classes.track}>
    <div className={classes.part} />
  </div>
);
