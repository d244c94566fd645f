//! A gateway with the plugin. Its settings are environment variables and the file that
//! `POSTERN_CONFIG` names.

use std::sync::Arc;

use gateway::Gateway;
use gateway::config::Settings;
use gateway::server::Builder;
use plugin_example::Visits;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    builder().migrate().await?;
    builder().serve().await?;
    Ok(())
}

fn builder() -> Builder {
    let settings = || Settings::gather(|_| None, |name| std::env::var(name).ok());
    Gateway::builder()
        .settings_from(settings)
        .plugins(plugins::all())
        .plugin(Arc::new(Visits::default()))
}
