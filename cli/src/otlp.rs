//! `--otlp`: sends spans to a collector, and says what was lost.

use std::sync::Arc;

use lockgate::events::EventSink;
use lockgate_gateway::otlp::{self, OtlpExport};

use crate::{args::OtlpArgs, toolset::Failure};

/// The sink of the events, and what [`finish`] waits for.
type Started = (Option<Arc<dyn EventSink>>, Option<OtlpExport>);

/// Starts sending; nothing unless it was asked for.
pub(crate) fn start(args: &OtlpArgs) -> Result<Started, Failure> {
    let Some(url) = &args.url else {
        return Ok((None, None));
    };
    let (sink, export) = otlp::start(url)?;
    Ok((Some(sink), Some(export)))
}

/// Waits until the spans are sent. Whatever holds the sink must be gone by then.
pub(crate) async fn finish(export: Option<OtlpExport>) {
    let Some(export) = export else { return };
    let lost = export.shutdown().await;
    if lost > 0 {
        eprintln!("lockgate: {lost} spans did not reach the collector");
    }
}
