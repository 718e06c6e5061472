import CAVFormat
import Timekeeping

/// The packets of a film's tracks from one position on, converted where that is wanted.
final class PacketRun {
  typealias Sink = (Packet, _ track: Int) throws(FragmentError) -> Void

  /// The tracks, the picture first, and the units of the times of their packets.
  let tracks: [(parameters: UnsafeMutablePointer<AVCodecParameters>, base: AVRational)]
  private let input: FilmInput
  private let choice: TrackChoice
  private let pictureEncoder: PictureEncoder?
  private let soundEncoder: SoundEncoder?
  private let filter: HeaderFilter?
  private var pictureClock: PacketClock?
  private var soundClock: PacketClock?
  /// The time of the first keyframe; nil before it. Pictures before it in time can't be decoded.
  private var beginning: Int64?

  /// - Parameter time: the time that a seek led to; nil at the film's beginning.
  init(
    _ input: FilmInput, _ choice: TrackChoice, from time: MediaTime?, _ quality: ConversionQuality
  ) throws(FragmentError) {
    (self.input, self.choice) = (input, choice)
    var tracks: [(parameters: UnsafeMutablePointer<AVCodecParameters>, base: AVRational)] = []
    pictureEncoder =
      choice.isPictureEncoded
      ? try choice.picture.map { stream throws(FragmentError) in
        try PictureEncoder(stream, from: time, quality)
      } : nil
    soundEncoder = choice.isSoundEncoded ? try choice.sound.map(SoundEncoder.init) : nil
    filter = soundEncoder == nil ? try choice.sound.flatMap(HeaderFilter.init) : nil
    if let pictureEncoder {
      tracks.append((pictureEncoder.parameters, pictureEncoder.base))
    } else if let picture = choice.picture {
      let clock = PacketClock(picture)
      pictureClock = clock
      tracks.append((picture.pointee.codecpar, clock.base))
    }
    if let soundEncoder {
      tracks.append((soundEncoder.parameters, soundEncoder.base))
    } else if let sound = choice.sound {
      let clock = PacketClock(sound)
      soundClock = clock
      tracks.append((sound.pointee.codecpar, clock.base))
    }
    self.tracks = tracks
  }

  /// Reads the next packet of the file.
  ///
  /// - Parameter sink: takes the packets that are complete, with the indices of their tracks.
  /// - Returns: false at the end of the film.
  func read(_ sink: Sink) throws(FragmentError) -> Bool {
    let soundTrack = choice.picture == nil ? 0 : 1
    func takePicture(_ packet: Packet) throws(FragmentError) { try sink(packet, 0) }
    func takeSound(_ packet: Packet) throws(FragmentError) { try sink(packet, soundTrack) }
    guard let packet = try input.next() else {
      try pictureEncoder?.encode(nil, takePicture)
      try soundEncoder?.encode(nil, takeSound)
      return false
    }
    if packet.stream == choice.picture.map({ Int($0.pointee.index) }) {
      try readPicture(packet, takePicture)
    } else if let soundEncoder {
      try soundEncoder.encode(packet, takeSound)
    } else if filter?.filter(packet) != false, soundClock?.set(packet) == true {
      try takeSound(packet)
    }
    return true
  }

  private func readPicture(
    _ packet: Packet, _ take: (Packet) throws(FragmentError) -> Void
  ) throws(FragmentError) {
    guard beginning != nil || packet.isKey else { return }
    if let pictureEncoder {
      beginning = beginning ?? 0
      return try pictureEncoder.encode(packet, take)
    }
    if pictureClock?.isUnordered(packet) == true, let picture = choice.picture {
      throw .picture(codec: picture.codecName)
    }
    guard pictureClock?.set(packet) == true else { return }
    let first = beginning ?? packet.pts
    beginning = first
    if packet.pts >= first { try take(packet) }
  }
}
