import CAVFormat
import Timekeeping

/// The fragments from one position of a film on: from its beginning, or from a keyframe after a seek.
final class FragmentRun {
  private let input: FilmInput
  private let choice: TrackChoice
  private let muxer: FragmentMuxer
  private let pictureEncoder: PictureEncoder?
  private let soundEncoder: SoundEncoder?
  private let filter: HeaderFilter?
  private var pictureClock: PacketClock?
  private var soundClock: PacketClock?
  /// The time of the first keyframe; nil before it. Pictures before it in time can't be decoded.
  private var beginning: Int64?
  private var isAtEnd = false

  /// - Parameter time: the time that a seek led to; nil at the film's beginning.
  init(_ input: FilmInput, _ choice: TrackChoice, from time: MediaTime?) throws(FragmentError) {
    (self.input, self.choice) = (input, choice)
    var tracks: [(parameters: UnsafeMutablePointer<AVCodecParameters>, base: AVRational)] = []
    pictureEncoder =
      choice.isPictureEncoded
      ? try choice.picture.map { stream throws(FragmentError) in
        try PictureEncoder(stream, from: time)
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
    muxer = try FragmentMuxer(tracks)
  }

  /// Returns the next fragment, which the next call returns again; nil at the end of the film.
  func peek() throws(FragmentError) -> Fragment? {
    while muxer.complete.isEmpty, !isAtEnd {
      guard let packet = try input.next() else {
        isAtEnd = true
        try pictureEncoder?.encode(nil, add)
        try soundEncoder?.encode(nil, addSound)
        try muxer.finish()
        break
      }
      if packet.stream == choice.picture.map({ Int($0.pointee.index) }) {
        try addPicture(packet)
      } else if let soundEncoder {
        try soundEncoder.encode(packet, addSound)
      } else if filter?.filter(packet) != false, soundClock?.set(packet) == true {
        try addSound(packet)
      }
    }
    return muxer.complete.first
  }

  /// Returns the next fragment; nil at the end of the film.
  func next() throws(FragmentError) -> Fragment? {
    _ = try peek()
    return muxer.take()
  }

  private func addPicture(_ packet: Packet) throws(FragmentError) {
    guard beginning != nil || packet.isKey else { return }
    if let pictureEncoder {
      beginning = beginning ?? 0
      return try pictureEncoder.encode(packet, add)
    }
    if pictureClock?.isUnordered(packet) == true, let picture = choice.picture {
      throw .picture(codec: picture.codecName)
    }
    guard pictureClock?.set(packet) == true else { return }
    let first = beginning ?? packet.pts
    beginning = first
    if packet.pts >= first { try add(packet) }
  }

  /// Adds a packet of the picture.
  private func add(_ packet: Packet) throws(FragmentError) { try muxer.add(packet, track: 0) }

  private func addSound(_ packet: Packet) throws(FragmentError) {
    try muxer.add(packet, track: choice.picture == nil ? 0 : 1)
  }
}
