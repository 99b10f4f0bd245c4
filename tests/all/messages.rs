//! Messages between page and worker: packed as the browser posts them and unpacked again, unchanged.

use dbm_core::Group;
use dbm_core::complete::{AnswerFrame, AnswerTrace, Method};
use dbm_core::coupling::Meeting;
use dbm_core::diagnostics::{ApproachState, CouplingKernel, CouplingTrace, PairDraw, PairStep, Reached};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, Info, PhaseInfo};
use dbm_core::settings::{Initialization, RunPlan};
use dbm_core::sweep::SearchInfo;
use dbm_data::coding::{Coding, Greys};
use dbm_data::columns::{Column, ColumnKind, Columns};
use dbm_protocol::{
    Activity, AlikeRow, Binarization, Body, CellDetails, CellState, ChosenModel, Command, CompletionRequest, Completions,
    DataSource, Draw, EncodedData, Encoding, EncodingPreview, Envelope, Event, FilesCommand, FilesEvent, Filters, FitLook,
    GapCheck, GapModel, GapsFilled, GpuCommand, GpuEvent, GpuTrial, Grid, Histogram, ImputeSettings, LadderMetrics, LogFormat,
    LogRow, Metrics, ModelChoice, NamedBytes, PhaseMetrics, PictureReading, Pretraining, Product, Reading, Reply, Report,
    RunForGpu, RunSignals, Score, Snapshot, TableFile, TableRows, Understood, UnderstoodKind, Visible, wire,
};
use std::fmt::Debug;
use wasm_bindgen_test::wasm_bindgen_test;

/// Packs and unpacks a message, which must not change.
fn cross<B: Body + Clone + PartialEq + Debug>(id: Option<u32>, body: B) {
    let message = Envelope::new(id, body);
    let parcel = wire::pack(message.clone()).expect("can be sent");
    assert_eq!(wire::unpack(&parcel.message), Ok(message));
}

#[wasm_bindgen_test]
fn what_the_gpus_worker_is_asked_and_answers_crosses_unchanged() {
    let run = RunForGpu { width: 9, packed: vec![1, 2], known: vec![3, 4], checkpoint: (0..=255).collect() };
    for command in [GpuCommand::Open(Box::new(run)), GpuCommand::Step, GpuCommand::Save] {
        cross(Some(7), command);
    }
    let negative =
        PhaseInfo { sweeps: vec![4, 2], energy_sum: -0.1 - 0.2, chains: 2, visible: vec![9, 0], ..PhaseInfo::default() };
    let stepped = GpuEvent::Stepped(Box::new(Info { negative, ..Info::default() }));
    for event in [GpuEvent::Opened("some GPU".into()), stepped, GpuEvent::Saved((0..=255).collect())] {
        cross(Some(7), Reply::Answer(event));
    }
}

#[wasm_bindgen_test]
fn requests_cross_unchanged() {
    let mut settings = dbm_core::Settings { seed: (1 << 53) - 1, image: Some((28, 28)), ..dbm_core::Settings::default() };
    settings.optimizer.learning_rate = 0.1 + 0.2;
    let start = Initialization::Pretrained { steps: u32::MAX, learning_rate: 0.05 };
    let plan = RunPlan { hidden: vec![500, 500], units: dbm_core::Units::Bits, start, settings };
    let source = DataSource::Examples(EncodedData {
        name: "<b>mine</b>.csv".into(),
        width: 9,
        packed: (0..=255).collect(),
        known: vec![7; 256],
        greys: vec![0, 128, 255],
        grey_top: 255,
        image: Some((3, 3)),
        depth: 1,
        held_back: vec![],
        visible: Some(Visible::Planes {
            bits: 3,
            coding: Coding::Thermometer,
            low: -1.5,
            high: 0.1 + 0.2,
            read: PictureReading { turn: Some(3), ..PictureReading::PLAIN },
        }),
        table: vec![44],
        sha256: "00ff".into(),
        reading: Box::default(),
    });
    let request = CompletionRequest {
        model: ModelChoice::Training,
        values: vec![0, 1],
        unknown: vec![1, 0],
        answers: 8,
        method: Method::Gibbs,
        sweeps: 100,
        clean_up: true,
        class: Some(9),
        seed: u32::MAX,
    };
    let commands = [
        Command::NewRun(plan.clone()),
        Command::NewRun(RunPlan { start: Initialization::Gaussian { deviation: 0.01 }, ..plan.clone() }),
        Command::UseData { source, plan, checkpoint: vec![3, 1, 4] },
        Command::TryGpu,
        Command::UseGpu(true),
        Command::Train,
        Command::TrainUntil(400),
        Command::Save,
        Command::Pace(20),
        Command::Filters { model: ModelChoice::Pretrained, layer: 2, count: 64 },
        Command::FillGaps {
            by: GapModel::Chosen,
            settings: ImputeSettings { seed: 1, ..ImputeSettings::default() },
            imputations: 5,
        },
        Command::Complete(request.clone()),
        Command::Watch(request.clone()),
        Command::WatchPair { request, kernel: CouplingKernel::Gibbs, steps: 50 },
        Command::Cancel(7),
    ];
    for command in commands {
        cross(Some(3), command);
    }
}

#[wasm_bindgen_test]
fn every_estimator_crosses_unchanged() {
    for kind in EstimatorKind::ALL {
        let mut plan = RunPlan { hidden: vec![3], ..RunPlan::default() };
        plan.settings.estimator = EstimatorSettings { k: 7, centering: Some(0.25), ..EstimatorSettings::new(kind) };
        cross(Some(1), Command::NewRun(plan));
    }
}

#[wasm_bindgen_test]
fn events_cross_unchanged() {
    let histogram = Histogram { counts: vec![(1, 99), (40_000, 1)], capped: 2, cap: 100_000 };
    let positive = PhaseMetrics {
        meeting_time: histogram.clone(),
        sweeps: histogram.clone(),
        mean_field: histogram,
        acceptance: Some(0.25),
        tries_capped: 3,
        energy: Some(-1234.5),
    };
    let metrics = Metrics {
        running: true,
        step: 12,
        pretraining: Some(Pretraining { layer: 1, layers: 2, step: 40, steps: 500 }),
        parts: Some((1, 4)),
        workers: 4,
        gpu: true,
        computed_by: "the processor until step 3, then the GPU (some GPU)".into(),
        steps_per_second: 8.5,
        checksum: "00ff".into(),
        signals: Some(RunSignals {
            step: 11,
            reconstruction_error: 0.03,
            pseudo_log_likelihood: -98.5,
            free_energy: -512.25,
            free_energy_of_samples: Some(-600.5),
            log_likelihood: None,
        }),
        activities: vec![Activity { bins: vec![3, 0, 1], low: 3, high: 1 }],
        recent_steps: 12,
        positive,
        negative: PhaseMetrics::default(),
        ladder: Some(LadderMetrics { accepted: vec![0.5, 0.25], rate: 0.5 }),
    };
    let grid =
        Grid { model: ModelChoice::Training, step: 12, count: 1, image: (1, 3), greys: Greys::default(), bits: vec![0, 1, 1] };
    let trial = GpuTrial { workers: 2, processor_seconds: 0.1 + 0.2, gpu: "some GPU".into(), gpu_seconds: 1.5 };
    let completions = Completions {
        answers: 2,
        image: (1, 2),
        bits: vec![0, 1, 1, 1],
        distinct: 2,
        sweeps: vec![4, 5],
        energies: vec![-1.5, 0.1 + 0.2],
        classes: vec![0.75, 0.25],
        seconds: 0.5,
    };
    let metropolis =
        PairDraw::Metropolis { proposal: vec![1, 0], energy: 7.5, u: 0.25, log_accept_x: -412.25, log_accept_y: Some(0.5) };
    let gibbs = PairDraw::Gibbs { overlap: Some(0.25), shared: false, tries: 3, tries_capped: false };
    let step = |(step, draw)| PairStep { step, x: vec![0, 1], y: vec![1, 1], energies: [-1.0, -2.0], draw };
    let trace = CouplingTrace {
        approach: vec![ApproachState { state: vec![0, 1], energy: 0.5, reached_by: Reached::Gibbs }],
        steps: (1..).zip([metropolis, PairDraw::Single, gibbs]).map(step).collect(),
        meeting: Meeting { time: 3, capped: true },
    };
    let frame = AnswerFrame { sweep: 3, half_sweep: 1, energy: -0.5, visible: vec![0, 1] };
    let watched = AnswerTrace { frames: vec![frame], sweeps: 3, search: SearchInfo { sweeps: 2, capped: false } };
    let score = Score { accuracy: 0.5, log_loss: 0.25, log_loss_error: 0.125 };
    let report = Report { cells: 7, rows: 5, rows_with_hidden: 6, rows_compared: 10, rows_in_all: 11, scores: [score; 3] };
    let checked =
        GapCheck { unseen: true, report, verdict: "good".into(), calibration: vec![(0.75, 0.7, 40)], calibrated: "well".into() };
    let chosen = ChosenModel { recipes: 12, averaged: 3, plan: RunPlan::default(), steps: 40, cells: 90 };
    let filled = GapsFilled { chosen: Some(chosen), checked: Some(checked), highs: vec![0.25, 1.0], draws: vec![1, 2] };
    let replies = [
        Reply::Ready,
        Reply::Answer(Event::Metrics(metrics)),
        Reply::Answer(Event::Samples(grid)),
        Reply::Answer(Event::Filters(Filters {
            model: ModelChoice::Training,
            step: 12,
            layer: 2,
            count: 1,
            image: (1, 3),
            scale: 0.25,
            levels: vec![1, 128, 255],
        })),
        Reply::Failed("no".into()),
        Reply::Answer(Event::Notice("news".into())),
        Reply::progress(3, 120),
        Reply::Answer(Event::GpuTried(trial)),
        Reply::Answer(Event::Snapshot(Snapshot { step: 9, checkpoint: vec![2, 7, 1, 8] })),
        Reply::Answer(Event::Looked(FitLook { steps: 90, log_loss: 0.1 + 0.2, accuracy: 0.75 })),
        Reply::Answer(Event::Completions(completions)),
        Reply::Answer(Event::Pair(trace)),
        Reply::Answer(Event::Watched(watched)),
        Reply::Answer(Event::GapsFilled(Box::new(filled))),
    ];
    for reply in replies {
        for id in [None, Some(4)] {
            cross(id, reply.clone());
        }
    }
}

#[wasm_bindgen_test]
fn messages_of_the_second_worker_cross_unchanged() {
    let source = DataSource::Digits { count: 10, seed: 1 };
    let plan = Box::new(RunPlan { hidden: vec![3], ..RunPlan::default() });
    let file = NamedBytes { name: "<script>.csv".into(), bytes: vec![0, 255] };
    let encoding = Encoding {
        binarization: Binarization::Redraw,
        draw: Draw { seed: u64::from(u32::MAX), series: 1 },
        bits: 8,
        coding: Coding::Gray,
        threshold: 0.1 + 0.2,
        columns: [("a,b".to_string(), f64::MIN_POSITIVE)].into(),
    };
    let grid = Grid { model: ModelChoice::Training, step: 1, count: 1, image: (1, 8), greys: Greys::binary(8), bits: vec![1; 8] };
    let log = LogRow { step: 3, pseudo_log_likelihood: Some(-1.5), ..LogRow::default() };
    for command in [
        FilesCommand::Read { files: vec![file.clone()], reading: Box::default() },
        FilesCommand::Reread(Box::default()),
        FilesCommand::Fetch("data/x.csv".into()),
        FilesCommand::Encode { encoding: encoding.clone(), hold_back: 0.1 },
        FilesCommand::OpenTable { file: file.clone(), reading: Box::default(), visible: table() },
        FilesCommand::FillTable { highs: vec![0.5], draws: vec![7] },
        FilesCommand::WriteTable { form: TableFile::Imputations, leave_below: 0.5 },
        FilesCommand::Write(Product::Log { format: LogFormat::Json, rows: vec![log] }),
        FilesCommand::Begin { data: "x".into(), sizes: vec![784, 3], source: source.clone(), plan: plan.clone() },
        FilesCommand::Keep(Snapshot { step: 7, checkpoint: vec![3, 1, 4] }),
    ] {
        cross(Some(3), command);
    }
    let look = EncodingPreview { width: 8, share_of_ones: 0.5, share_missing: 0.0, bytes: 1 << 40, preview: grid };
    let kind = UnderstoodKind::Pictures { shape: (1, 1), low: -1.5, high: 255.0, classes: 10 };
    let about = Understood {
        name: "x".into(),
        count: 1,
        kind,
        reading: Reading::default(),
        notes: vec!["n".into()],
        doubts: vec![],
        encoding,
        look: look.clone(),
    };
    let rows = vec![(
        7,
        vec![("a".into(), CellState::Known), (String::new(), CellState::Missing), ("b".into(), CellState::Filled(0.75))],
    )];
    let rows = TableRows { of: 9, rows, filled: 1, left: 1, mean_probability: 0.75 };
    let alike = vec![AlikeRow { row: 3, equal: 4, known: 5, value: "b".into() }];
    let cell = CellDetails { row: 7, column: 2, values: vec![("b".into(), 0.75)], alike };
    for reply in [
        Reply::Answer(FilesEvent::Understood(Box::new(about))),
        Reply::Answer(FilesEvent::Preview(look)),
        Reply::Answer(FilesEvent::Written(file)),
        Reply::Answer(FilesEvent::TableOpened { columns: vec!["ü".into()], rows: 3, missing: (2, 1) }),
        Reply::Answer(FilesEvent::Rows(rows)),
        Reply::Answer(FilesEvent::Cell(cell)),
        Reply::Progress { stage: "reading".into(), done: 1, total: 3_000_000_000 },
        Reply::Answer(FilesEvent::Taken { source, plan, snapshot: Snapshot { step: 7, checkpoint: vec![3, 1, 4] } }),
    ] {
        cross(Some(1), reply);
    }
}

/// One column of each kind.
fn table() -> Visible {
    let kinds = [
        ColumnKind::Binary { low: "no".into(), high: "yes".into() },
        ColumnKind::Number { threshold: 2.5, low: "1".into(), high: "4".into() },
        ColumnKind::Category { levels: vec!["a".into(), "b".into(), "ü".into()], ordered: true },
        ColumnKind::Ignored,
    ];
    let exclusive = vec![Group::at_most_one(0..1)];
    Visible::Table(Columns { columns: kinds.map(|kind| Column::new("x", kind)).into(), exclusive })
}

#[wasm_bindgen_test]
fn a_message_of_another_shape_is_an_error_and_no_panic() {
    for value in ["Train", "{}", ""] {
        assert!(wire::unpack::<Command>(&value.into()).is_err());
    }
    assert!(wire::unpack::<Reply<Event>>(&wasm_bindgen::JsValue::NULL).is_err());
    let empty = js_sys::Array::of1(&js_sys::Uint8Array::new_with_length(3));
    assert!(wire::unpack::<Reply<Event>>(&empty).is_err());
}
