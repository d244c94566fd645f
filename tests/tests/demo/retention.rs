//! Tests the nightly job that deletes what is older than its purpose allows, and its record.

use serde_json::json;

use super::Demo;

#[tokio::test(flavor = "multi_thread")]
async fn retention_deletes_what_is_too_old_and_records_it() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let runs = "{ retentionRuns(where: {dataController: {title: {_like: \"Hansewerk%\"}}}, \
                order_by: {ranAt: desc}) { activitiesDeleted notificationsDeleted oldestDeletedAt \
                oldestKeptAt ranAt } }";
    let first = demo.data("user", runs).await["retentionRuns"].clone();
    assert_eq!(first.as_array().map(Vec::len), Some(1), "{first}");
    // A trigger refuses activities that are too old, so these are made without it.
    let old = "SET session_replication_role = replica;
        INSERT INTO data_processing_activities (data_subject_id, type_id, source_id, triggered_at)
        SELECT s.id, t.id, o.id, now() - months * interval '1 month'
          FROM data_subjects s, data_processing_activity_types t, data_processing_activity_sources o, unnest(ARRAY[12, 14, 15]) months
         WHERE s.id = '45f3ed8d-b848-4953-b66d-d9210bf5ca24' AND t.code = 'page_view' AND o.code = 'website';
        SET session_replication_role = origin";
    let count = "SELECT count(*) FROM data_processing_activities a JOIN \
                 data_processing_activity_types t ON t.id = a.type_id WHERE a.data_subject_id = \
                 '45f3ed8d-b848-4953-b66d-d9210bf5ca24' AND t.code = 'page_view' AND \
                 a.triggered_at < now() - interval '11 months 20 days'";
    sql.batch_execute("SELECT apply_retention('{}')")
        .await
        .unwrap();
    let before: i64 = sql.query_one(count, &[]).await.unwrap().get(0);
    sql.batch_execute(old).await.unwrap();
    sql.batch_execute("SELECT apply_retention('{}')")
        .await
        .unwrap();
    let after: i64 = sql.query_one(count, &[]).await.unwrap().get(0);
    // The purpose of page views keeps them for 13 months.
    assert_eq!(after, before + 1);
    let recorded = demo.data("user", runs).await["retentionRuns"].clone();
    assert_eq!(recorded.as_array().map(Vec::len), Some(3), "{recorded}");
    assert_eq!(recorded[0]["activitiesDeleted"], 2, "{recorded}");
    assert!(
        recorded[0]["oldestDeletedAt"].is_string() && recorded[0]["oldestKeptAt"].is_string(),
        "{recorded}"
    );
    // What deletes is switched off again when the job ends.
    let deletion = demo
        .ask_as_admin(
            "mutation { deleteDataProcessingActivities(where: {}) { affected_rows } }",
            json!({}),
        )
        .await;
    assert_eq!(
        deletion.error().code,
        "constraint-violation",
        "{}",
        deletion.text
    );
    demo.hides("dataSubject", "retentionRuns", "retentionRuns { id }")
        .await;
    let schedule = "SELECT count(*) FROM retention_runs";
    let rows: i64 = sql.query_one(schedule, &[]).await.unwrap().get(0);
    assert_eq!(rows, 3 * 40);
}
