/**
 * The transfer engine, which runs on both ends, agent and controller, and imports nothing of Jenkins. The sending end packs files into a tar, cuts it into
 * blocks, compresses each block into a frame, and sends frames over lanes. The receiving end sorts, decodes and extracts them.
 *
 * <pre>
 * tar -&gt; delta -&gt; send: blocks -&gt; codec (adaptive) -&gt; frames -&gt; lanes and credit (lane, flow)
 *     -&gt; receive: reorder -&gt; decode -&gt; tar -&gt; staging, workspace or framefile
 * </pre>
 */
package io.jenkins.plugins.compressionaware.engine;
