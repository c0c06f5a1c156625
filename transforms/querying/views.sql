-- What users ask most, as views and table macros of the catalog.

CREATE VIEW curated AS
SELECT t.*, d.weight, d.educational_score, d.stratum, d.split, c.task_group, c.environment, c.outcome_class,
       c.family_id, c.family_label
FROM trajectories t
JOIN decisions d USING (traj_id)
JOIN clusters c USING (traj_id)
WHERE d.decision = 'keep'
ORDER BY traj_id;

CREATE VIEW dropped AS
SELECT d.*, t.native_id, t.task_id, c.task_group, c.environment, c.outcome_class, c.method
FROM decisions d
JOIN trajectories t USING (traj_id)
JOIN clusters c USING (traj_id)
WHERE d.decision = 'drop'
ORDER BY traj_id;

CREATE VIEW pass_rates AS
SELECT environment, count(DISTINCT task_group) AS num_tasks, count(*) AS num_rollouts,
       count(*) FILTER (outcome_class IN ('success', 'failure')) AS num_scored,
       count(*) FILTER (outcome_class = 'success') AS num_success,
       num_success / nullif(num_scored, 0) AS pass_rate
FROM clusters
GROUP BY environment
ORDER BY environment;

CREATE VIEW task_outcomes AS
SELECT task_group, any_value(environment ORDER BY environment) AS environment, count(*) AS num_rollouts,
       count(*) FILTER (outcome_class IN ('success', 'failure')) AS num_scored,
       count(*) FILTER (outcome_class = 'success') AS num_success,
       CASE WHEN num_scored = 0 THEN 'unscored'
            WHEN num_success = 0 THEN 'all_fail'
            WHEN num_success = num_scored THEN 'all_pass'
            ELSE 'mixed' END AS kind
FROM clusters
GROUP BY task_group
ORDER BY task_group;

CREATE VIEW funnel AS
WITH counts AS (
    SELECT 1 AS position, 'read' AS step, coalesce(sum(num_records), 0) AS num_rows FROM inputs
    UNION ALL SELECT 2, 'quarantined', coalesce(sum(num_quarantined), 0) FROM inputs
    UNION ALL SELECT 3, 'repeats', coalesce(sum(num_repeats), 0) FROM inputs
    UNION ALL SELECT 4, 'trajectories', count(*) FROM trajectories
    UNION ALL SELECT 5, 'dropped: ' || reason, count(*) FROM decisions WHERE decision = 'drop' GROUP BY reason
    UNION ALL SELECT 6, 'kept', count(*) FROM decisions WHERE decision = 'keep'
    UNION ALL SELECT 7, 'rows of ' || dataset, count(DISTINCT row_id) FROM uses WHERE used GROUP BY dataset
)
SELECT step, num_rows::BIGINT AS num_rows FROM counts ORDER BY position, step;

CREATE VIEW dpo_pairs AS
SELECT p.*, t.instruction
FROM pairs p
LEFT JOIN tasks t USING (task_key)
ORDER BY p.row_id;

CREATE MACRO rollouts_of(wanted_task) AS TABLE
SELECT t.traj_id, t.model_name, t.agent_name, t.reward, c.outcome_class, t.num_steps, d.decision, d.reason,
       d.reference_id, d.similarity, d.weight
FROM trajectories t
JOIN clusters c USING (traj_id)
JOIN decisions d USING (traj_id)
WHERE wanted_task IN (c.task_group, c.task_key, t.task_id)
ORDER BY c.outcome_class, t.traj_id;

CREATE MACRO copies_of(wanted_id) AS TABLE
SELECT c.traj_id, c.keeper_id, c.similarity_to_keeper, c.method, d.decision, d.reason
FROM clusters c
JOIN decisions d USING (traj_id)
WHERE c.semantic_group IN (SELECT semantic_group FROM clusters WHERE traj_id = wanted_id)
ORDER BY c.similarity_to_keeper DESC, c.traj_id;
