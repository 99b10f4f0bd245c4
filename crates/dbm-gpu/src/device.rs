//! The device: its properties, its kernels, and transfers to and from it.

use crate::{GpuError, GpuLimits};
use bytemuck::{Pod, cast_slice};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{Buffer, BufferUsages, CommandEncoder, ComputePipeline};

/// A GPU, ready to compute. A clone is the same device.
#[derive(Clone)]
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
    pub(crate) limits: GpuLimits,
    pub(crate) kernels: Kernels,
    /// Bytes of all tensors made so far.
    made: Arc<AtomicU64>,
    /// Multiply-adds of all products requested so far.
    multiply_adds: Arc<AtomicU64>,
    /// Its first failure.
    failure: Arc<Mutex<Option<String>>>,
}

/// Parts shared by the kernels that leave clamped units unchanged.
const CLAMPED: &str = include_str!("kernels/clamped.wgsl");

/// One pipeline per kernel.
#[derive(Clone)]
pub(crate) struct Kernels {
    pub product: ComputePipeline,
    pub set: ComputePipeline,
    pub means: ComputePipeline,
    pub row_sums: ComputePipeline,
    pub exchange: ComputePipeline,
    pub gather: ComputePipeline,
    pub blend: ComputePipeline,
    pub ascend: ComputePipeline,
}

impl Gpu {
    /// The fastest available GPU.
    ///
    /// # Errors
    /// [`GpuError::NoAdapter`] and [`GpuError::NoDevice`].
    pub async fn open() -> Result<Self, GpuError> {
        Self::open_within(GpuLimits::default()).await
    }

    /// The same, with narrower limits than its own.
    ///
    /// # Errors
    /// Those of [`Gpu::open`].
    pub async fn open_within(limits: GpuLimits) -> Result<Self, GpuError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options =
            wgpu::RequestAdapterOptions { power_preference: wgpu::PowerPreference::HighPerformance, ..Default::default() };
        let adapter = instance.request_adapter(&options).await.map_err(|error| GpuError::NoAdapter(error.to_string()))?;
        let info = adapter.get_info();
        let name = if info.name.is_empty() { "a GPU without a name".into() } else { info.name };
        // Tensors as large as it can hold; all other limits are those of every WebGPU device.
        let own = adapter.limits();
        let required_limits = wgpu::Limits {
            max_buffer_size: own.max_buffer_size,
            max_storage_buffer_binding_size: own.max_storage_buffer_binding_size.min(limits.bound),
            ..wgpu::Limits::default()
        };
        let descriptor = wgpu::DeviceDescriptor { label: Some("dbm"), required_limits, ..Default::default() };
        let refused = |error: wgpu::RequestDeviceError| GpuError::NoDevice { name: name.clone(), reason: error.to_string() };
        let (device, queue) = adapter.request_device(&descriptor).await.map_err(refused)?;
        let failure = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(&noted, &error.to_string())));
        let noted = Arc::clone(&failure);
        device.set_device_lost_callback(move |reason, message| note(&noted, &format!("it was lost ({reason:?}): {message}")));
        let kernels = Kernels {
            product: pipeline(&device, "product", include_str!("kernels/product.wgsl")),
            set: pipeline(&device, "set", &[CLAMPED, include_str!("kernels/set.wgsl")].concat()),
            means: pipeline(&device, "means", &[CLAMPED, include_str!("kernels/means.wgsl")].concat()),
            ascend: pipeline(&device, "ascend", include_str!("kernels/ascend.wgsl")),
            row_sums: pipeline(&device, "row sums", include_str!("kernels/row_sums.wgsl")),
            exchange: pipeline(&device, "exchange", include_str!("kernels/exchange.wgsl")),
            gather: pipeline(&device, "gather", include_str!("kernels/gather.wgsl")),
            blend: pipeline(&device, "blend", include_str!("kernels/blend.wgsl")),
        };
        Ok(Self { device, queue, name, limits, kernels, made: Arc::default(), multiply_adds: Arc::default(), failure })
    }

    /// Name that it gives itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Maximum number of bytes of a buffer bound to a kernel at once.
    pub(crate) fn most_bound(&self) -> u64 {
        let limits = self.device.limits();
        limits.max_buffer_size.min(limits.max_storage_buffer_binding_size).min(self.limits.bound)
    }

    /// Its first failure, if it has failed.
    ///
    /// # Errors
    /// [`GpuError::Failed`] in that case.
    pub(crate) fn check(&self) -> Result<(), GpuError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map_or(Ok(()), |reason| Err(GpuError::Failed(reason.clone())))
    }

    /// Bytes of all tensors created on it so far, including those already freed.
    pub fn bytes_made(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Multiply-adds of all products requested so far, which account for the time of a step.
    pub fn multiply_adds(&self) -> u64 {
        self.multiply_adds.load(Ordering::Relaxed)
    }

    /// Counts those of a product.
    pub(crate) fn count(&self, multiply_adds: u64) {
        self.multiply_adds.fetch_add(multiply_adds, Ordering::Relaxed);
    }

    /// Ends the device, like a driver reset: later requests to it fail.
    pub fn destroy(&self) {
        self.device.destroy();
    }

    /// Values on the device; the name is for messages.
    pub(crate) fn upload<T: Pod>(&self, what: &str, values: &[T]) -> Result<Buffer, GpuError> {
        let buffer = self.storage(what, size_of_val(values) as u64, self.most_bound())?;
        self.queue.write_buffer(&buffer, 0, cast_slice(values));
        Ok(buffer)
    }

    /// Overwrites the values of a buffer.
    pub(crate) fn write<T: Pod>(&self, buffer: &Buffer, values: &[T]) {
        self.queue.write_buffer(buffer, 0, cast_slice(values));
    }

    /// This many numbers on the device, all 0.
    pub(crate) fn zeros(&self, what: &str, count: usize) -> Result<Buffer, GpuError> {
        self.storage(what, 4 * count as u64, self.most_bound())
    }

    /// A buffer that kernels access in blocks, all 0.
    pub(crate) fn in_blocks(&self, what: &str, size: u64) -> Result<Buffer, GpuError> {
        self.storage(what, size, self.device.limits().max_buffer_size)
    }

    /// A buffer that kernels read and write. It holds zeros.
    fn storage(&self, what: &str, size: u64, limit: u64) -> Result<Buffer, GpuError> {
        if size > limit {
            return Err(GpuError::TooLarge { what: what.into(), bytes: size, limit });
        }
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let descriptor = wgpu::BufferDescriptor { label: Some(what), size, usage, mapped_at_creation: false };
        self.made.fetch_add(size, Ordering::Relaxed);
        Ok(self.device.create_buffer(&descriptor))
    }

    /// The few numbers that a kernel takes as parameters.
    pub(crate) fn numbers<T: Pod>(&self, values: &T) -> Buffer {
        // The size of a uniform is a multiple of a four-element vector.
        let mut contents = bytemuck::bytes_of(values).to_vec();
        contents.resize(contents.len().next_multiple_of(16), 0);
        let (size, usage) = (contents.len() as u64, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
        let descriptor = wgpu::BufferDescriptor { label: Some("numbers"), size, usage, mapped_at_creation: false };
        let buffer = self.device.create_buffer(&descriptor);
        // Through the queue: creating a buffer with its content would panic on a lost device.
        self.queue.write_buffer(&buffer, 0, &contents);
        buffer
    }

    pub(crate) fn encoder(&self) -> CommandEncoder {
        self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    /// Submits it.
    pub(crate) fn submit(&self, encoder: CommandEncoder) {
        self.queue.submit([encoder.finish()]);
    }

    /// The content of a buffer after all submitted work is done.
    ///
    /// # Errors
    /// [`GpuError::Failed`] if the device failed meanwhile.
    pub(crate) async fn read<T: Pod>(&self, buffer: &Buffer) -> Result<Vec<T>, GpuError> {
        self.read_first(buffer, buffer.size() as usize / size_of::<T>()).await
    }

    /// The first values of a buffer, this many, likewise.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub(crate) async fn read_first<T: Pod>(&self, buffer: &Buffer, count: usize) -> Result<Vec<T>, GpuError> {
        self.check()?;
        let (size, usage) = ((count * size_of::<T>()) as u64, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let descriptor = wgpu::BufferDescriptor { label: Some("read"), size, usage, mapped_at_creation: false };
        let copy = self.device.create_buffer(&descriptor);
        let mut encoder = self.encoder();
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, size);
        self.submit(encoder);
        let (done, waiting) = futures_channel::oneshot::channel();
        copy.map_async(wgpu::MapMode::Read, .., move |result| {
            // If the reading was given up, no one is waiting any more.
            done.send(result.map_err(|error| error.to_string())).ok();
        });
        // Natively this waits for the device; a browser calls back on its own.
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        let mapped = match polled {
            Ok(_) => waiting.await.unwrap_or_else(|_| Err("it gave no answer".into())),
            Err(error) => Err(error.to_string()),
        };
        self.check()?;
        mapped.map_err(GpuError::Failed)?;
        let view = copy.get_mapped_range(..).map_err(|error| GpuError::Failed(error.to_string()))?;
        Ok(bytemuck::pod_collect_to_vec(&view))
    }

    /// The contents of several buffers, one after another.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub(crate) async fn read_all(&self, buffers: impl IntoIterator<Item = &Buffer>) -> Result<Vec<Vec<f32>>, GpuError> {
        let mut all = Vec::new();
        for buffer in buffers {
            all.push(self.read(buffer).await?);
        }
        Ok(all)
    }
}

/// Records a failure, if it is the first.
fn note(failure: &Mutex<Option<String>>, reason: &str) {
    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason.trim_end_matches('.').into());
}

fn pipeline(device: &wgpu::Device, name: &str, source: &str) -> ComputePipeline {
    let source = wgpu::ShaderSource::Wgsl(source.into());
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(name), source });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(name),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}
