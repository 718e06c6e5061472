import CAVFormat

/// The offsets of the fields in the structures of the libavformat that this process uses. It may have another major
/// version than the headers that this module was compiled with: the relocatable program takes the one that mpv brings.
typealias StructureLayout = matinee_layout

extension StructureLayout {
  /// Nil for a version whose structures this program doesn't know.
  static let current = layout(majorVersion: avformat_version() >> 16)

  /// Returns the layout of a major version of libavformat, nil for an unknown one.
  static func layout(majorVersion: CUnsignedInt) -> StructureLayout? {
    matinee_layout_of(majorVersion)?.pointee
  }
}

/// A file or stream that libavformat has open. The pointer is borrowed: it is valid until the container is closed.
struct OpenContainer {
  let context: UnsafeMutablePointer<AVFormatContext>
  private let layout: StructureLayout

  /// - Returns: nil for a version of libavformat whose structures aren't known.
  init?(_ context: UnsafeMutablePointer<AVFormatContext>) {
    guard let layout = StructureLayout.current else { return nil }
    (self.context, self.layout) = (context, layout)
  }

  /// The descriptive name of the format; nil for none.
  var formatName: String? {
    context.pointee.iformat?.pointee.long_name.map { String(cString: $0) }
  }

  /// The size in bytes; 0 if it isn't known.
  var size: Int { Int(max(0, avio_size(context.pointee.pb))) }

  /// The duration in microseconds; nil if the headers don't state it.
  var duration: Int64? {
    let value = fields.load(fromByteOffset: Int(layout.duration), as: Int64.self)
    return value == matinee_no_time || value <= 0 ? nil : value
  }

  var chapterCount: Int {
    Int(fields.load(fromByteOffset: Int(layout.nb_chapters), as: CUnsignedInt.self))
  }

  /// The container's dictionary; nil for an empty one.
  var metadata: OpaquePointer? {
    fields.load(fromByteOffset: Int(layout.metadata), as: OpaquePointer?.self)
  }

  var streams: [OpenStream] {
    (0..<Int(context.pointee.nb_streams)).compactMap { index in
      context.pointee.streams[index].map { OpenStream($0, layout) }
    }
  }

  /// Returns a time stamp of a stream in seconds; nil for one without a unit of time.
  func seconds(of stamp: Int64, in stream: Int) -> Double? {
    context.pointee.streams[stream].flatMap { OpenStream($0, layout).seconds(of: stamp) }
  }

  /// Sets the callback that FFmpeg calls while it waits. Set it before the container is opened.
  func interrupt(with callback: AVIOInterruptCB) {
    fields.storeBytes(
      of: callback, toByteOffset: Int(layout.interrupt_callback), as: AVIOInterruptCB.self)
  }

  private var fields: UnsafeMutableRawPointer { UnsafeMutableRawPointer(context) }
}

/// A stream of an open container. Valid as long as its container.
struct OpenStream {
  private let fields: UnsafeRawPointer
  private let layout: StructureLayout

  fileprivate init(_ stream: UnsafeMutablePointer<AVStream>, _ layout: StructureLayout) {
    (fields, self.layout) = (UnsafeRawPointer(stream), layout)
  }

  private func field<Value>(_ offset: CInt, as type: Value.Type) -> Value {
    fields.load(fromByteOffset: Int(offset), as: type)
  }

  private var parameters: UnsafeMutablePointer<AVCodecParameters> {
    field(layout.codecpar, as: UnsafeMutablePointer<AVCodecParameters>.self)
  }

  var mediaType: AVMediaType { parameters.pointee.codec_type }
  /// libavcodec's name of the codec.
  var codecName: String { String(cString: avcodec_get_name(parameters.pointee.codec_id)) }
  /// The width in pixels.
  var width: Int { parameter(layout.width) }
  /// The height in pixels.
  var height: Int { parameter(layout.height) }
  /// The number of audio channels.
  var channels: Int { parameter(layout.channels) }

  private func parameter(_ offset: CInt) -> Int {
    Int(UnsafeRawPointer(parameters).load(fromByteOffset: Int(offset), as: CInt.self))
  }

  /// The stream's dictionary; nil for an empty one.
  var metadata: OpaquePointer? { field(layout.stream_metadata, as: OpaquePointer?.self) }

  /// A Boolean value that indicates whether the stream is a cover.
  var isAttachedPicture: Bool {
    field(layout.disposition, as: CInt.self) & AV_DISPOSITION_ATTACHED_PIC != 0
  }

  /// The bytes of the cover. Borrowed, like the stream.
  var attachedPicture: UnsafeBufferPointer<UInt8>? {
    let packet = (fields + Int(layout.attached_pic)).assumingMemoryBound(to: AVPacket.self)
    guard let data = packet.pointee.data, packet.pointee.size > 0 else { return nil }
    return UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
  }

  /// The number of frames per second; nil if the file doesn't state it.
  var framesPerSecond: Double? {
    let rate = field(layout.avg_frame_rate, as: AVRational.self)
    return rate.den > 0 && rate.num > 0 ? Double(rate.num) / Double(rate.den) : nil
  }

  /// The first time stamp in seconds; nil if it isn't known.
  var startTime: Double? {
    let value = field(layout.start_time, as: Int64.self)
    return value == matinee_no_time ? nil : seconds(of: value)
  }

  fileprivate func seconds(of stamp: Int64) -> Double? {
    let base = field(layout.time_base, as: AVRational.self)
    return base.den > 0 ? Double(stamp) * Double(base.num) / Double(base.den) : nil
  }
}
