import Testing
import Timekeeping

@testable import Calibration

@Suite("The delay of an output, from a recording in synthetic rooms")
struct OutputDelayTests {
  /// Returns the delay in ms.
  private func delay(in room: Room) throws -> Double {
    try OutputDelay(recording: room.recording(), playback: room.playback()).delay.inMilliseconds
  }

  private func refusal(in room: Room) -> OutputDelay.Refusal? {
    do throws(OutputDelay.Refusal) {
      _ = try OutputDelay(recording: room.recording(), playback: room.playback())
      return nil
    } catch {
      return error
    }
  }

  /// Returns the error in ms; nil if there is no result.
  private func error(in room: Room) -> Double? {
    do throws(OutputDelay.Refusal) {
      let found = try OutputDelay(recording: room.recording(), playback: room.playback())
      return found.delay.inMilliseconds - room.delays[0] * 1000
    } catch {
      return nil
    }
  }

  @Test(
    "Any delay is found, with clocks that are off by ±100 millionths",
    arguments: [
      (-0.9, 0.0, 0.0), (0, 0, 0), (0.0004, 100, -100), (0.183, -100, 100), (0.183, 100, 100),
      (1.9, -100, 0), (2.6, 0, 100), (3.9, -100, -100),
    ])
  func known(seconds: Double, player: Double, microphone: Double) throws {
    let room = Room(
      delays: [seconds, seconds, seconds], playerSkew: player, microphoneSkew: microphone)
    let found = try delay(in: room)
    #expect(abs(found - seconds * 1000) < 0.15, "\(found)")
  }

  @Test(
    "The direct sound counts, although a reflection is stronger",
    arguments: [(0.002, 1.0), (0.005, 0.6), (0.02, 0.32), (0.04, 0.4)])
  func direct(lag: Double, gain: Double) throws {
    let room = Room(
      direct: gain, reflections: [.init(lag: lag, gain: 1), .init(lag: lag + 0.011, gain: -0.8)],
      noise: 0.002)
    let found = try delay(in: room)
    #expect(abs(found - 183) < 0.3, "\(found)")
  }

  @Test("Noise only 6 dB below the sweeps in a room with echoes is no obstacle", arguments: 0..<6)
  func noise(seed: Int) throws {
    var room = Room(direct: 0.5, isRumbling: seed % 2 == 1, seed: UInt64(seed))
    room.addTail(fallingIn: 0.5, level: 0.4)
    room.playerSkew = seed % 3 == 0 ? 100 : -100
    room.noise = room.sweepLevel / 2
    let found = try delay(in: room)
    #expect(abs(found - 183) < 1, "seed \(seed): \(found)")
  }

  @Test("More and more noise leads to a refusal, never to a wrong delay", arguments: 0..<4)
  func refusing(seed: Int) {
    var refused = 0
    for decibels in stride(from: 4.0, through: 40, by: 9) {
      var room = Room(
        direct: 0.35, reflections: [.init(lag: 0.012, gain: 1)], isRumbling: seed % 2 == 1,
        seed: UInt64(seed))
      room.noise = room.sweepLevel * Double.exp10(decibels / 20)
      guard let error = error(in: room) else {
        refused += 1
        continue
      }
      #expect(abs(error) < 1, "seed \(seed), noise \(decibels) dB louder: \(error) ms off")
    }
    #expect(refused >= 2)
  }

  @Test("Another sound in bursts, as loud as the sweeps, is no obstacle", arguments: 0..<4)
  func bursts(seed: Int) throws {
    var room = Room(seed: UInt64(seed))
    room.addTail(fallingIn: 0.3, level: 0.2)
    room.bursts = room.sweepLevel
    let found = try delay(in: room)
    #expect(abs(found - 183) < 1, "seed \(seed): \(found)")
  }

  @Test(
    "Another sound that is much louder leads to a refusal, or to the right delay", arguments: 0..<4)
  func loudBursts(seed: Int) {
    for factor in [10.0, 100] {
      var room = Room(gain: 0.002, seed: UInt64(seed))
      room.bursts = room.sweepLevel / room.gain * factor
      guard let error = error(in: room) else { continue }
      #expect(abs(error) < 1, "seed \(seed), \(factor): \(error) ms off")
    }
  }

  @Test("The microphone's gain makes no difference", arguments: [0.003, 0.05, 0.9])
  func gain(gain: Double) throws {
    var room = Room(noise: 0.003, gain: gain)
    room.addTail(fallingIn: 0.4, level: 0.3)
    let found = try delay(in: room)
    #expect(abs(found - 183) < 0.3, "\(found)")
  }

  @Test("A loudspeaker's distortion, which arrives before its sound, isn't taken for the sound")
  func distortion() throws {
    var room = Room(reflections: [.init(lag: 0.2, gain: 0.5)], distortion: 0.8, noise: 0.0005)
    room.addTail(fallingIn: 0.15, level: 0.1)
    let found = try delay(in: room)
    #expect(abs(found - 183) < 0.3, "\(found)")
  }

  @Test("An overdriven microphone is refused")
  func clipped() {
    #expect(refusal(in: Room(gain: 12)) == .clipped)
  }

  @Test("Silence is refused, and so are a quiet and a noisy room without the sweeps")
  func nothing() {
    #expect(refusal(in: Room(direct: 0)) == .silent)
    #expect(refusal(in: Room(direct: 0, noise: 0.001)) == .notHeard)
    #expect(refusal(in: Room(direct: 0, noise: 0.05)) == .tooNoisy(decibels: nil))
  }

  @Test("Sweeps that are too quiet are refused, with their level above the noise")
  func unclear() {
    var distances: [Double] = []
    for decibels in stride(from: 16.0, through: 37, by: 3) {
      var room = Room()
      room.noise = room.sweepLevel * Double.exp10(decibels / 20)
      room.gain = 0.01
      switch refusal(in: room) {
      case nil: #expect(distances.isEmpty)
      case .tooNoisy(let distance): if let distance { distances.append(distance) }
      case let other?: Issue.record("\(other) at \(decibels) dB")
      }
    }
    #expect(!distances.isEmpty && distances.allSatisfy { (18..<28).contains($0) })
  }

  @Test("A delay that changes between the sweeps is refused")
  func changing() {
    guard case .inconsistent(let spread) = refusal(in: Room(delays: [0.183, 0.186, 0.183])) else {
      Issue.record("not refused")
      return
    }
    #expect(abs(spread.inMilliseconds - 3) < 0.2)
    #expect(refusal(in: Room(delays: [0.183, 0.1842, 0.183])) == nil)
  }

  @Test("Late readings of the clocks move nothing; clocks that jump are refused")
  func clocks() throws {
    let room = Room(playerSkew: 80, microphoneSkew: -60)
    let found = try OutputDelay(
      recording: room.recording(lateReadings: 0.2), playback: room.playback(lateReadings: 0.2))
    #expect(abs(found.delay.inMilliseconds - 183) < 0.5)

    var jumping = room.playback()
    for index in jumping.indices { jumping[index].seconds += Double(index % 7) * 0.01 }
    #expect(throws: OutputDelay.Refusal.unsteadyClock) {
      try OutputDelay(recording: room.recording(), playback: jumping)
    }
    #expect(throws: OutputDelay.Refusal.unsteadyClock) {
      try OutputDelay(recording: room.recording(), playback: Array(room.playback().prefix(30)))
    }
  }

  @Test(
    "An output whose sound server updates its sample count only now and then is measured correctly",
    arguments: [128.0, 512, 1024])
  func periods(samples: Double) throws {
    let room = Room(playerSkew: -80, microphoneSkew: 60, period: samples / 48_000)
    let found = try delay(in: room)
    #expect(abs(found - 183) < 1, "\(found)")
  }

  @Test("A recording that ends before the last sweep can arrive is refused")
  func short() {
    #expect(refusal(in: Room(duration: 5)) == .tooShort)
  }

  @Test("The file that is played has the sweeps at their times")
  func file() {
    let wave = CalibrationSound.wave()
    let samples = stride(from: 44, to: wave.count, by: 2).map { index in
      Float(Int16(truncatingIfNeeded: Int(wave[index]) | Int(wave[index + 1]) << 8)) / 32767
    }
    #expect(samples.count == Int(CalibrationSound.duration.inSeconds * 48_000))
    let loud = samples.map(abs)
    for beginning in CalibrationSound.beginnings {
      let first = Int(beginning.inSeconds * 48_000)
      #expect(loud[first - 4000..<first].max() == 0)
      #expect((loud[first..<first + 48_000].max() ?? 0) > 0.249)
      #expect(loud[first + 48_000..<first + 60_000].max() == 0)
    }
  }
}

@Suite("The Fourier transform")
struct FourierTransformTests {
  @Test("A tone is one frequency, and the inverse returns the tone")
  func tone() {
    let transform = FourierTransform(count: 64)
    let tone = (0..<64).map { Float(Sine.value(of: Double($0) * 5 / 64)) }
    var (real, imaginary) = (tone, [Float](repeating: 0, count: 64))
    transform.transform(&real, &imaginary)
    for index in 0..<64 {
      let strength = (real[index] * real[index] + imaginary[index] * imaginary[index]).squareRoot()
      #expect(abs(strength - (index == 5 || index == 59 ? 32 : 0)) < 0.001)
    }
    transform.transform(&real, &imaginary, isInverse: true)
    for index in 0..<64 { #expect(abs(real[index] / 64 - tone[index]) < 0.001) }
  }
}
